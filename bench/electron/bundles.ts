import { join } from 'node:path'
import { build } from 'vite'

import { build as buildApp } from '../../scripts/build.ts'

export const root = join(import.meta.dirname, '..', '..')
/** Inside node_modules, so that what is not bundled is found. */
const outDir = join(root, 'node_modules', '.cache', 'a2-inspector-bench')

/** The app itself, as it is shipped. */
export async function prepareApp(): Promise<void> {
  await buildApp(['renderer', 'electron'])
}

/** The small Electron app that the app is compared with; answers the path of its main file. */
export async function bundleLab(): Promise<string> {
  await bundle({ entry: 'lab-main.ts', format: 'es', file: 'lab-main.mjs' })
  await bundle({ entry: 'lab-preload.ts', format: 'cjs', file: 'lab-preload.cjs' })
  return join(outDir, 'lab-main.mjs')
}

async function bundle({
  entry,
  format,
  file,
}: {
  readonly entry: string
  readonly format: 'es' | 'cjs'
  readonly file: string
}): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node20.18',
      minify: false,
      rolldownOptions: {
        input: join(import.meta.dirname, entry),
        external: ['electron', 'better-sqlite3', 'pg', /^node:/],
        output: { format, entryFileNames: file, codeSplitting: false },
      },
    },
  })
}

/** What is run inside of a page, as one script. */
export async function bundlePageScript(): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'in-page.ts'), formats: ['iife'], name: 'a2InPage' },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (output === undefined || !('output' in output)) throw new Error('nothing was bundled')
  return output.output[0].code
}
