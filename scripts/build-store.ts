import { execFileSync } from 'node:child_process'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/** The store as a module of its own: `dist/store/index.js`, its types beside it. The drivers stay imports. */
async function buildStore(): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      outDir: 'dist/store',
      target: 'node20.18',
      minify: false,
      rolldownOptions: {
        input: { index: 'src/store/index.ts' },
        external: ['better-sqlite3', 'pg', /^node:/, ...builtinModules],
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  })
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', 'src/store/tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
}

if (import.meta.main) await buildStore()
