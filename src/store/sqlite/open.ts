import Database from 'better-sqlite3'
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'

import type { TroubleKind } from '../../model/database.ts'
import { StoreTrouble } from '../trouble.ts'

/** A value SQLite can bind. */
export type SqlValue = string | number | bigint | Buffer | null

/**
 * A handle that cannot write: the file is opened read-only. Statements are prepared once a handle and
 * run to their end at once; nothing stays open between two calls.
 */
export interface ReadHandle {
  /** All rows, as objects. Integers are numbers unless `bigints`. Throws StoreTrouble. */
  all<Row>(sql: string, params?: readonly SqlValue[], options?: { bigints?: boolean }): Row[]
  /**
   * All rows, as lists of their values. What is asked once a handle is asked for lists: the driver compiles a
   * function for each statement whose rows are objects. Throws StoreTrouble.
   */
  lists(sql: string, params?: readonly SqlValue[]): SqlValue[][]
  /** The first row. Throws StoreTrouble. */
  get<Row>(
    sql: string,
    params?: readonly SqlValue[],
    options?: { bigints?: boolean },
  ): Row | undefined
  /** Runs `run` in one read transaction, so that its statements see the same commit. It must not wait for anything. Throws StoreTrouble. */
  snapshot<T>(run: () => T): T
  close(): void
}

/** A handle that may write. Use it for one transaction and close it. */
export interface WriteHandle extends ReadHandle {
  readonly database: Database.Database
}

/** Opens a file for reading only. The first query runs here, so that a file that cannot be read fails here. Throws StoreTrouble. */
export function openReadOnly(path: string, { busyTimeoutMs = 250 } = {}): ReadHandle {
  assertPlainFile(path)
  const handle = open(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
  try {
    handle.lists('pragma schema_version')
  } catch (error) {
    handle.close()
    throw error
  }
  return handle
}

/**
 * The same for a plain file that was looked at just before. Nothing is asked yet: a file that cannot be read fails
 * with the first query, and only then is its -wal opened. Throws StoreTrouble.
 */
export function openUnasked(
  path: string,
  { busyTimeoutMs }: { busyTimeoutMs: number },
): ReadHandle {
  return open(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
}

/** Opens an existing file for writing; its journal mode stays as it is. Throws StoreTrouble. */
export function openReadWrite(path: string, options: { busyTimeoutMs: number }): WriteHandle {
  assertPlainFile(path)
  return open(path, { fileMustExist: true, timeout: options.busyTimeoutMs })
}

function open(path: string, options: Database.Options): WriteHandle {
  let database: Database.Database
  try {
    database = new Database(path, options)
  } catch (error) {
    throw toStoreTrouble(path, error)
  }
  const prepared = new Map<string, Database.Statement>()
  const statement = (sql: string, kind: 'numbers' | 'bigints' | 'lists'): Database.Statement => {
    const key = `${kind} ${sql}`
    let found = prepared.get(key)
    if (found === undefined) {
      found = database.prepare(sql)
      if (kind === 'bigints') found.safeIntegers()
      if (kind === 'lists') found.raw()
      prepared.set(key, found)
    }
    return found
  }
  const guarded = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw toStoreTrouble(path, error)
    }
  }
  return {
    database,
    all: <Row>(sql: string, params: readonly SqlValue[] = [], { bigints = false } = {}) =>
      guarded(() => statement(sql, bigints ? 'bigints' : 'numbers').all(...params) as Row[]),
    lists: (sql: string, params: readonly SqlValue[] = []) =>
      guarded(() => statement(sql, 'lists').all(...params) as SqlValue[][]),
    get: <Row>(sql: string, params: readonly SqlValue[] = [], { bigints = false } = {}) =>
      guarded(
        () => statement(sql, bigints ? 'bigints' : 'numbers').get(...params) as Row | undefined,
      ),
    snapshot: (run) => {
      guarded(() => database.exec('begin'))
      try {
        return run()
      } finally {
        // A failed statement may have ended the transaction already.
        if (database.inTransaction) database.exec('rollback')
      }
    },
    close: () => {
      prepared.clear()
      database.close()
    },
  }
}

/** Translates a driver error; anything that is not one is returned unchanged, as a defect of ours. */
export function toStoreTrouble(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  return new StoreTrouble(
    { kind: kindOf(path, error.code), path, code: error.code },
    { cause: error },
  )
}

function kindOf(path: string, code: string): TroubleKind {
  if (code === 'SQLITE_NOTADB') return 'not-a-database'
  if (code.startsWith('SQLITE_CORRUPT')) return 'corrupt'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'locked'
  if (code === 'SQLITE_READONLY_DIRECTORY') return 'read-only-folder'
  if (code === 'SQLITE_READONLY_ROLLBACK') return 'hot-journal'
  if (code.startsWith('SQLITE_CANTOPEN')) return whyCannotOpen(path)
  if (code.startsWith('SQLITE_READONLY')) return 'read-only'
  if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_FULL') return 'disk'
  if (code === 'SQLITE_PERM' || code === 'SQLITE_AUTH') return 'no-permission'
  // Our statements are fixed: where one does not compile or a constraint refuses it, the tables are others than we know.
  if (code === 'SQLITE_ERROR' || code === 'SQLITE_SCHEMA' || code === 'SQLITE_MISMATCH')
    return 'incompatible'
  if (code.startsWith('SQLITE_CONSTRAINT')) return 'incompatible'
  return 'unexpected'
}

/** SQLite says only "cannot open"; the file system knows why. Looks at names and rights, never at contents. */
function whyCannotOpen(path: string): TroubleKind {
  if (!can(path, constants.F_OK)) return 'not-found'
  if (!can(path, constants.R_OK)) return 'no-permission'
  if (!can(dirname(path), constants.W_OK)) return 'read-only-folder'
  return 'cannot-open'
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** A folder, a pipe or a device must not even be opened: reading a pipe would never return. */
function assertPlainFile(path: string): void {
  let stat
  try {
    stat = statSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? null
    const kind = code === 'EACCES' || code === 'EPERM' ? 'no-permission' : 'not-found'
    throw new StoreTrouble({ kind, path, code }, { cause: error })
  }
  if (stat.isDirectory()) throw new StoreTrouble({ kind: 'is-a-folder', path, code: null })
  if (!stat.isFile()) throw new StoreTrouble({ kind: 'not-a-file', path, code: null })
}
