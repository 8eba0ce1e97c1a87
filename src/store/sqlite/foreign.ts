import { makeEventId } from '../event-id.ts'
import type { ForeignClearOutcome, ForeignClearRequest, ForeignDatabase } from '../foreign.ts'
import type { ReclaimAnswer, RedriveAnswer, RedriveRequest, StoreOptions } from '../store.ts'
import { bindClear } from './clear.ts'
import { makeContext } from './context.ts'
import { openReadWrite, toStoreTrouble } from './open.ts'
import { bindRedrive } from './redrive.ts'
import { createClearsTable, hasTable } from './schema.ts'
import { bindSessionLog } from './session-log.ts'

export interface ForeignSqliteOptions extends StoreOptions {
  readonly path: string
  /** How long to wait for another writer before the trouble is `locked`. Blocks the thread. */
  readonly busyTimeoutMs: number
  /** The marker type of this database: learned from its markers, else `CLEAR_EVENT_TYPE`. */
  readonly clearEventType: string
}

/** The journal mode of the file stays as it is. */
export interface ForeignSqlite extends ForeignDatabase {
  clear(request: ForeignClearRequest): ForeignClearOutcome
  redrive(request: RedriveRequest): RedriveAnswer
  reclaim(sessionId: string, ifClearIndex?: number): ReclaimAnswer | 'cleared-again'
  createClearsTable(): void
  close(): void
}

/** Opens an existing file for a write or two; close it soon. Throws StoreTrouble. */
export function openForeignSqlite(options: ForeignSqliteOptions): ForeignSqlite {
  const { path, busyTimeoutMs, clearEventType } = options
  const handle = openReadWrite(path, { busyTimeoutMs })
  const { database } = handle
  const context = makeContext(database, {
    clock: options.clock ?? { now: () => new Date() },
    generateId: options.generateId ?? (() => makeEventId()),
    clearEventType,
    hasClearsTable: () => hasTable(database, 'a2_clears'),
  })
  const log = bindSessionLog(context)
  const { clear, reclaim } = bindClear(context, log)
  const redrive = bindRedrive(context, log)
  const makeTable = () => createClearsTable(database)
  const write = <T>(run: () => T): T => {
    try {
      return context.write(run)
    } catch (error) {
      throw toStoreTrouble(path, error)
    }
  }
  return {
    clear: ({
      createClearsTable: mayCreate = false,
      ifClearIndex = Number.POSITIVE_INFINITY,
      ...request
    }) =>
      write(() =>
        log.clearIndexOf(request.sessionId) > ifClearIndex
          ? 'cleared-again'
          : clear(request, mayCreate ? makeTable : undefined),
      ),
    redrive: (request) => write(() => redrive(request)),
    reclaim: (sessionId, ifClearIndex = Number.POSITIVE_INFINITY) =>
      write(() =>
        log.clearIndexOf(sessionId) > ifClearIndex ? 'cleared-again' : reclaim(sessionId),
      ),
    createClearsTable: () => write(makeTable),
    close: () => handle.close(),
  }
}
