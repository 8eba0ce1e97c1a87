import Database from 'better-sqlite3'
import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { type ElectronBench, openElectronBench } from './electron/run-app.ts'
import { cacheFolder } from './generate/cache-folder.ts'
import type { Size } from './generate/spec.ts'
import { sqliteFile, sqliteFilePath, type Variant } from './generate/sqlite-file.ts'

/** What one run of the benchmark works with. Everything it opens or makes is gone after `close`. */
export interface Bench {
  readonly size: Size
  /** A generated file that is only read; made when it is missing. */
  file(variant?: Variant): string
  /** The file of another size, if it was generated before. */
  existingFile(size: Size): string | undefined
  /** A copy that may be written to; the same for all who ask. */
  writableCopy(): string
  /** Another program's handle on a file that is only read. */
  raw(path: string): Database.Database
  /** Real Electron. Rejects with why there is none. */
  electron(): Promise<ElectronBench>
  /** A new empty folder. */
  folder(name: string): string
  readonly log: (text: string) => void
  /** Ends what a goal may have left running. */
  tidy(): Promise<void>
  close(): void
}

export function openBench(size: Size, log: (text: string) => void): Bench {
  const scratch = mkdtempSync(join(cacheFolder(), 'run-'))
  const handles: Database.Database[] = []
  let copy: string | undefined
  let folders = 0
  let electron: ReturnType<typeof openElectronBench> | undefined
  return {
    size,
    file: (variant) => sqliteFile(size, variant),
    existingFile: (other) => {
      const path = sqliteFilePath(other, 'plain')
      return existsSync(path) ? path : undefined
    },
    writableCopy() {
      if (copy === undefined) {
        copy = join(scratch, 'copy.db')
        copyFileSync(sqliteFile(size), copy, constants.COPYFILE_FICLONE)
      }
      return copy
    },
    raw(path) {
      const handle = new Database(path, { readonly: true })
      handles.push(handle)
      return handle
    },
    async electron() {
      electron ??= openElectronBench()
      const opened = await electron
      if ('reason' in opened) throw new Error(opened.reason)
      return opened
    },
    folder(name) {
      folders += 1
      const folder = join(scratch, `${name}-${folders}`)
      mkdirSync(folder)
      return folder
    },
    log,
    async tidy() {
      const opened = await electron
      if (opened !== undefined && 'closeAll' in opened) await opened.closeAll()
    },
    close() {
      for (const handle of handles) handle.close()
      rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
