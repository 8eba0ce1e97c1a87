import { openForeignSqlite } from '../../store/sqlite/foreign.ts'
import type { ForeignAccess } from './writing.ts'

/** Waiting inside SQLite blocks the process: wait a little there and the rest outside. */
const BUSY_TIMEOUT_MS = 25
const BUSY_PATIENCE_MS = 2500

export function sqliteAccess(path: string): ForeignAccess {
  return {
    lockPatienceMs: BUSY_PATIENCE_MS,
    open: (options) => openForeignSqlite({ ...options, path, busyTimeoutMs: BUSY_TIMEOUT_MS }),
  }
}
