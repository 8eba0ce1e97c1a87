import { type ForeignSqlite, openForeignSqlite } from '../../store/sqlite/foreign.ts'
import type { Meter } from '../meter.ts'
import type { ForeignAccess } from './writing.ts'

/** Waiting inside SQLite blocks the process: wait a little there and the rest outside. */
const BUSY_TIMEOUT_MS = 25
const BUSY_PATIENCE_MS = 2500

export function sqliteAccess(path: string, meter: Meter): ForeignAccess {
  return {
    lockPatienceMs: BUSY_PATIENCE_MS,
    open: (options) =>
      metered(openForeignSqlite({ ...options, path, busyTimeoutMs: BUSY_TIMEOUT_MS }), meter),
  }
}

function metered(database: ForeignSqlite, meter: Meter): ForeignSqlite {
  const closed = meter.noteHandle()
  return {
    clear: (request) => meter.transaction(() => database.clear(request)),
    redrive: (request) => meter.transaction(() => database.redrive(request)),
    reclaim: (...call) => meter.transaction(() => database.reclaim(...call)),
    createClearsTable: () => meter.transaction(() => database.createClearsTable()),
    close: () => {
      database.close()
      closed()
    },
  }
}
