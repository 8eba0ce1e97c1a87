import { makeEventId } from '../event-id.ts'
import type {
  ClearRequest,
  ReclaimAnswer,
  RedriveAnswer,
  RedriveRequest,
  StoreOptions,
} from '../store.ts'
import { bindClear, type ClearOutcome } from './clear.ts'
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

export interface ForeignClearRequest extends ClearRequest {
  /** Create a2_clears in the same transaction when it is missing and a marker is due. */
  readonly createClearsTable?: boolean
}

/**
 * What may be done to a database another program owns. Changes rows only, and only columns that every
 * known version has; never the journal mode. Each call is one transaction. Throws StoreTrouble,
 * and A2Error or TypeError as the store does. Nothing was changed when it throws.
 */
export interface ForeignSqlite {
  clear(request: ForeignClearRequest): ClearOutcome
  redrive(request: RedriveRequest): RedriveAnswer
  /** With `ifClearIndex`: `cleared-again` when the session was cleared beyond it, so that more would be deleted than was asked for. */
  reclaim(sessionId: string, ifClearIndex?: number): ReclaimAnswer | 'cleared-again'
  /** Creates a2_clears when it is missing, and nothing else. */
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
    clear: ({ createClearsTable: mayCreate = false, ...request }) =>
      write(() => clear(request, mayCreate ? makeTable : undefined)),
    redrive: (request) => write(() => redrive(request)),
    reclaim: (sessionId, ifClearIndex = Number.POSITIVE_INFINITY) =>
      write(() =>
        log.clearIndexOf(sessionId) > ifClearIndex ? 'cleared-again' : reclaim(sessionId),
      ),
    createClearsTable: () => write(makeTable),
    close: () => handle.close(),
  }
}
