import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'

/** Not bundled: what Electron brings, and packages with native code. */
const EXTERNAL = ['electron', 'better-sqlite3', 'pg', /^node:/, ...builtinModules]

/** What Electron 33's main process runs; what later ones run is newer. */
const NODE_TARGET = 'node20.18'

interface Bundle {
  readonly root: string
  /** Name of the result → source file. */
  readonly entries: Readonly<Record<string, string>>
  readonly outDir: string
  readonly format: 'es' | 'cjs'
}

export async function buildRenderer(root: string): Promise<void> {
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}

export async function buildElectron(root: string): Promise<void> {
  const outDir = 'dist/electron'
  rmSync(join(root, outDir), { recursive: true, force: true })
  // Each process alone: what they shared would hold, and load, what only one of them needs.
  for (const name of ['main', 'store-process', 'background-process']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is as fast
    await bundle({ root, entries: { [name]: `electron/${name}.ts` }, outDir, format: 'es' })
  }
  // A sandboxed preload is a single CommonJS file.
  await bundle({ root, entries: { preload: 'electron/preload.ts' }, outDir, format: 'cjs' })
}

export async function buildSample(root: string): Promise<void> {
  const entries = { 'sample-process': 'src/sample/sample-process.ts' }
  await bundle({ root, entries, outDir: 'dist/sample', format: 'es' })
}

/** The store as a package of its own. */
export async function buildStore(root: string): Promise<void> {
  const script = join(root, 'scripts', 'build-store.ts')
  if (!existsSync(script)) return
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The store package was not built.')
}

async function bundle({ root, entries, outDir, format }: Bundle): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: NODE_TARGET,
      minify: false,
      sourcemap: false,
      rolldownOptions: {
        input: entries,
        external: EXTERNAL,
        // A package that nothing is taken from is not loaded.
        treeshake: { moduleSideEffects: 'no-external' },
        output: {
          format,
          entryFileNames: format === 'cjs' ? '[name].cjs' : '[name].js',
          chunkFileNames: `${Object.keys(entries).join('-')}.[name].js`,
        },
      },
    },
  })
}
