import type { RedriveAnswer, RedriveRequest } from '../store.ts'
import { statement, type Transaction } from './connection.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog, sessionLock } from './session-log.ts'

export function bindRedrive(tables: Tables, log: SessionLog, now: () => number) {
  const hold = statement(
    `select 1 from ${tables.events}
      where session_id = $1 and idx = $2 and idx > ${clearIndexIn(tables)}
        and processed_at is null and failed_at is not null
        for update`,
  )
  const retry = statement(
    `update ${tables.events} set failed_at = null, failure_count = 0
      where session_id = $1 and idx = $2`,
  )
  const skip = statement(
    `update ${tables.events} set processed_at = $3, lane_ready = false
      where session_id = $1 and idx = $2`,
  )
  return async (
    tx: Transaction,
    { sessionId, index, action }: RedriveRequest,
  ): Promise<RedriveAnswer> => {
    // Promotion must see every append that was committed before it; the row serializes with claims.
    if (action === 'skip') tx.later(sessionLock(sessionId))
    const [rows = []] = await tx.send(hold(sessionId, index))
    const [row] = rows
    if (row !== undefined && action === 'retry') {
      tx.later(retry(sessionId, index))
    } else if (row !== undefined) {
      tx.later(skip(sessionId, index, now()))
      tx.later(log.promote(sessionId, index))
    }
    const [pending] = await tx.commit(log.pending(sessionId))
    return { redriven: row !== undefined, hasPending: pending?.[0]?.['has_pending'] === true }
  }
}
