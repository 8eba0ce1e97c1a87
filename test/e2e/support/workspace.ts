import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const projectFolder = join(import.meta.dirname, '..', '..', '..')
const fixtures = join(projectFolder, 'test', 'fixtures')

/** A folder of one test: its databases, its data folder, its current folder. */
export interface Workspace {
  readonly folder: string
  /** Recent files, audit log, window state: a life of its own. */
  readonly dataFolder: string
  /** An empty folder with no `.a2/dev.db` in it or above it. */
  readonly emptyFolder: string
  /** A fresh copy of a fixture in a folder of its own. */
  readonly copyDatabase: (name: 'small.db' | 'legacy-016.db') => string
  readonly remove: () => void
}

export function makeWorkspace(): Workspace {
  // A real path: some systems link their temporary folder.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'a2-e2e-')))
  const emptyFolder = join(folder, 'empty')
  mkdirSync(emptyFolder)
  let copies = 0
  return {
    folder,
    dataFolder: join(folder, 'data'),
    emptyFolder,
    copyDatabase(name) {
      copies += 1
      const own = join(folder, `copy-${copies}`)
      mkdirSync(own)
      copyFileSync(join(fixtures, name), join(own, name))
      return join(own, name)
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The environment of a program under test: nothing of the person's own is read or written. */
export function environmentOf(workspace: Pick<Workspace, 'dataFolder'>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !pair[0].startsWith('npm_'),
  )
  return {
    ...Object.fromEntries(inherited),
    A2_DATA_DIR: workspace.dataFolder,
    A2_SKIP_BUILD: '1',
    A2_NO_OPEN: '1',
  }
}
