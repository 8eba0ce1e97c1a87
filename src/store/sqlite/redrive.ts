import type { RedriveAnswer, RedriveRequest } from '../store.ts'
import type { SqliteContext } from './context.ts'
import type { SessionLog } from './session-log.ts'

const FIND = `
select lane from a2_events
 where session_id = ? and idx = ? and processed_at is null and failed_at is not null`

const RETRY = `
update a2_events set failed_at = null, failure_count = 0 where session_id = ? and idx = ?`

const SKIP = `
update a2_events set processed_at = ?, lane_ready = 0 where session_id = ? and idx = ?`

export function bindRedrive(context: SqliteContext, log: SessionLog) {
  const find = context.prepare(FIND)
  const retry = context.prepare(RETRY)
  const skip = context.prepare(SKIP)
  /** Inside a transaction. */
  return ({ sessionId, index, action }: RedriveRequest): RedriveAnswer => {
    const clearIndex = log.clearIndexOf(sessionId)
    const row = index > clearIndex ? find.get<{ lane: string | null }>(sessionId, index) : undefined
    if (row !== undefined && action === 'skip') {
      skip.run(context.clock.now().getTime(), sessionId, index)
      log.promote(sessionId, row.lane, clearIndex)
    } else if (row !== undefined) {
      retry.run(sessionId, index)
    }
    return { redriven: row !== undefined, hasPending: log.hasPending(sessionId, clearIndex) }
  }
}
