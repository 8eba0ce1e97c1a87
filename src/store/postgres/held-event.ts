import { noSuchEvent } from '../errors.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import { statement, type Transaction } from './connection.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog } from './session-log.ts'

/** An event whose row is held until the transaction ends. */
export interface HeldEvent {
  readonly lane: string | null
  readonly isProcessed: boolean
  readonly isDead: boolean
  readonly attemptCount: number
  readonly failureCount: number
  readonly returnedIds: unknown
}

export function bindHold(tables: Tables, log: SessionLog, has: OptionalColumns) {
  const lock = statement(
    `select boundary.clear_index, parent.*
       from (select ${clearIndexIn(tables)} as clear_index) boundary
       left join lateral (
         select idx, lane, processed_at, failed_at, attempt_count, failure_count,
                ${has.hasReturnedEventIds ? '' : 'null::jsonb as '}returned_event_ids
           from ${tables.events}
          where session_id = $1 and idx = $2 and idx > boundary.clear_index
            for update
       ) parent on true`,
  )
  /** Holds it, and answers what it is like. Undefined when the event lies at or below the marker. */
  return async (
    tx: Transaction,
    sessionId: string,
    index: number,
  ): Promise<HeldEvent | undefined> => {
    const [rows] = await tx.send(lock(sessionId, index))
    const row = rows?.[0]
    if (index <= Number(row?.['clear_index'])) return undefined
    if (row === undefined || row['idx'] === null) {
      // It may have been cleared and deleted while the statement waited for it.
      if (await log.isCleared(tx, sessionId, index)) return undefined
      throw noSuchEvent(sessionId, index)
    }
    return {
      lane: row['lane'] as string | null,
      isProcessed: row['processed_at'] !== null,
      isDead: row['failed_at'] !== null,
      attemptCount: Number(row['attempt_count']),
      failureCount: Number(row['failure_count']),
      returnedIds: row['returned_event_ids'],
    }
  }
}

/**
 * Parts of a `with` list: an event that is finished or given up needs no snapshot any more, and history
 * nobody needs goes with its pins. `index`: its parameter; `condition`: whether it came to that.
 */
export function releaseSql(tables: Tables, index: string, condition = 'true'): string {
  return `released as (
      delete from ${tables.pins}
       where session_id = $1 and event_index = ${index} and ${condition}
    ), forgotten as (
      delete from ${tables.history} history
       where session_id = $1 and ${condition} and not exists (
         select 1 from ${tables.pins} pin
          where pin.session_id = history.session_id
            and pin.reducer_name = history.reducer_name
            and pin.up_to_index = history.up_to_index
            and pin.event_index <> ${index})
    )`
}
