import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { withBuildLock } from './build-lock.ts'

const root = join(import.meta.dirname, '..')

interface Target {
  /** Files and folders it is made of, relative to the root. */
  readonly inputs: readonly string[]
  /** Files that must exist afterwards. */
  readonly outputs: readonly string[]
  run(): Promise<void>
}

const BUNDLED = ['src/shell', 'src/inspector', 'src/store', 'src/contract', 'src/model']

const targets = {
  renderer: {
    inputs: ['renderer', 'src/contract', 'src/model', 'vite.config.ts'],
    outputs: ['dist/renderer/index.html'],
    run: async () => (await import('./build-bundles.ts')).buildRenderer(root),
  },
  electron: {
    inputs: ['electron', ...BUNDLED, 'scripts/build-bundles.ts'],
    outputs: [
      'dist/electron/main.js',
      'dist/electron/store-process.js',
      'dist/electron/background-process.js',
      'dist/electron/preload.cjs',
    ],
    run: async () => (await import('./build-bundles.ts')).buildElectron(root),
  },
  sample: {
    inputs: ['src/sample', 'src/store', 'src/model', 'scripts/build-bundles.ts'],
    outputs: ['dist/sample/sample-process.js'],
    run: async () => (await import('./build-bundles.ts')).buildSample(root),
  },
  store: {
    inputs: ['src/store', 'src/model', 'scripts/build-store.ts'],
    outputs: ['dist/store/index.js', 'dist/store/index.d.ts'],
    run: async () => (await import('./build-bundles.ts')).buildStore(root),
  },
} satisfies Record<string, Target>

export type TargetName = keyof typeof targets
const ALL: readonly TargetName[] = ['renderer', 'electron', 'sample', 'store']

/**
 * Builds those of the targets whose sources changed since they were built. `onStart` is called once, when
 * there is something to do. Rejects when a source has an error.
 */
export async function build(
  names: readonly TargetName[],
  {
    isForced = false,
    onStart = () => undefined,
  }: { isForced?: boolean; onStart?: () => void } = {},
): Promise<void> {
  if (!isForced && names.every(isFresh)) return
  onStart()
  await withBuildLock(join(root, 'dist'), async () => {
    // Looked at again: whoever held the lock may have built the same.
    for (const name of names) if (isForced || !isFresh(name)) await run(name)
  })
}

async function run(name: TargetName): Promise<void> {
  // Taken before, so that a source saved meanwhile counts as new.
  const fingerprint = fingerprintOf(targets[name])
  process.env['NODE_ENV'] = 'production'
  await targets[name].run()
  mkdirSync(join(root, 'dist', '.stamps'), { recursive: true })
  writeFileSync(stampFile(name), fingerprint)
}

function isFresh(name: TargetName): boolean {
  const target: Target = targets[name]
  if (!target.outputs.every((file) => existsSync(join(root, file)))) return false
  const stamp = stampFile(name)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOf(target)
}

function stampFile(name: TargetName): string {
  return join(root, 'dist', '.stamps', name)
}

/** Names, sizes and times of all sources: a file that went away or came back older counts too. */
function fingerprintOf(target: Target): string {
  const hash = createHash('sha256')
  for (const input of ['package.json', 'package-lock.json', ...target.inputs]) {
    addTo(hash, join(root, input))
  }
  return hash.digest('hex')
}

function addTo(hash: ReturnType<typeof createHash>, path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || /\.(test\.tsx?|md)$/.test(path)) return
  if (!stat.isDirectory()) {
    hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`)
    return
  }
  for (const name of readdirSync(path).toSorted()) addTo(hash, join(path, name))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { force: { type: 'boolean', default: false } } })
  await build(ALL, { isForced: values.force, onStart: () => console.log('Building…') })
}
