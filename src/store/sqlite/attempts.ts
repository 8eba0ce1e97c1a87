import { alreadyReturned, noSuchEvent } from '../errors.ts'
import { type CheckedCompletion, suppliedIds } from '../event-batch.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import { isCause, isSameReturn, toReturnedIds } from '../returned-event-ids.ts'
import type { CompleteAnswer, FailAnswer, FailRequest } from '../store.ts'
import type { SqliteContext } from './context.ts'
import type { Events } from './events.ts'
import { parseJson } from './rows.ts'
import type { SessionLog } from './session-log.ts'

interface AttemptRow {
  readonly lane: string | null
  readonly processed_at: number | null
  readonly attempt_count: number
  readonly failure_count: number
  readonly failed_at: number | null
  readonly returned_event_ids: string | null
}

export function bindAttempts(
  context: SqliteContext,
  log: SessionLog,
  events: Events,
  has: OptionalColumns,
) {
  const find = context.prepare(
    `select lane, processed_at, attempt_count, failure_count, failed_at,
            ${has.hasReturnedEventIds ? '' : 'null as '}returned_event_ids
       from a2_events where session_id = ? and idx = ?`,
  )
  const complete = context.prepare(
    `update a2_events
        set processed_at = ?, lane_ready = 0, claim_holder = null, claim_expires_at = null
            ${has.hasReturnedEventIds ? ', returned_event_ids = ?' : ''}
      where session_id = ? and idx = ?`,
  )
  const fail = context.prepare(
    `update a2_events
        set failure_count = ?, failed_at = ?, claim_holder = null, claim_expires_at = null
            ${has.hasLastError ? ', last_error = ?' : ''}
      where session_id = ? and idx = ?`,
  )
  const release = bindPinRelease(context)

  /** The answer given before, or the reason why this is not that completion again. */
  const replay = (request: CheckedCompletion, parent: AttemptRow): CompleteAnswer => {
    const { index, attempt } = request
    const ids = request.events.map((event) => event.id)
    const recorded = has.hasReturnedEventIds
      ? toReturnedIds(parseJson(parent.returned_event_ids ?? 'null', 'the returned event ids'))
      : ids
    if (parent.attempt_count !== attempt || recorded === null) return { outcome: 'superseded' }
    if (!isSameReturn(recorded, ids)) throw alreadyReturned()
    const stored = ids.flatMap((id) => events.findById(id) ?? [])
    const isWhole = stored.every(
      (event) => event.sessionId === request.sessionId && isCause(event.cause, index, attempt),
    )
    if (!isWhole || stored.length < ids.length) throw alreadyReturned()
    return { outcome: 'completed', events: stored }
  }

  /** Inside a transaction. */
  const completeAttempt = (request: CheckedCompletion): CompleteAnswer => {
    const { sessionId, index, attempt } = request
    const clearIndex = log.clearIndexOf(sessionId)
    if (index <= clearIndex) return { outcome: 'superseded' }
    const parent = find.get<AttemptRow>(sessionId, index)
    if (parent === undefined) throw noSuchEvent(sessionId, index)
    const ids = suppliedIds(request.events)
    if (parent.processed_at !== null) return replay(request, parent)
    if (parent.attempt_count !== attempt || parent.failed_at !== null)
      return { outcome: 'superseded' }
    if (events.liveOwnersOf(sessionId, ids, clearIndex).length > 0) throw alreadyReturned()
    const now = context.clock.now().getTime()
    const returned = has.hasReturnedEventIds ? [JSON.stringify(ids)] : []
    complete.run(now, ...returned, sessionId, index)
    release(sessionId, index)
    log.promote(sessionId, parent.lane, clearIndex)
    const children = request.events.map((event) => ({ ...event, cause: { index, attempt } }))
    const at = { head: log.headOf(sessionId), clearIndex, now }
    return { outcome: 'completed', events: events.insertBatch(sessionId, children, at) }
  }

  /** Inside a transaction. */
  const failAttempt = (request: FailRequest): FailAnswer => {
    const { sessionId, index, attempt, error, maxFailures } = request
    if (index <= log.clearIndexOf(sessionId)) return { outcome: 'superseded', failureCount: 0 }
    const row = find.get<AttemptRow>(sessionId, index)
    if (row === undefined) throw noSuchEvent(sessionId, index)
    if (row.attempt_count !== attempt || row.processed_at !== null || row.failed_at !== null)
      return { outcome: 'superseded', failureCount: row.failure_count }
    const failureCount = row.failure_count + 1
    const isDead = failureCount >= maxFailures
    const failedAt = isDead ? context.clock.now().getTime() : null
    fail.run(failureCount, failedAt, ...(has.hasLastError ? [error] : []), sessionId, index)
    if (isDead) release(sessionId, index)
    return { outcome: isDead ? 'dead' : 'retry', failureCount }
  }

  return { completeAttempt, failAttempt }
}

/** An event that is finished or given up needs no snapshot any more; history nobody needs goes with its pins. */
function bindPinRelease(context: SqliteContext) {
  const dropPins = context.prepare(
    'delete from a2_snapshot_pins where session_id = ? and event_index = ?',
  )
  const dropHistory = context.prepare(
    `delete from a2_snapshot_history as history
      where session_id = ? and not exists (
        select 1 from a2_snapshot_pins pin
         where pin.session_id = history.session_id
           and pin.reducer_name = history.reducer_name
           and pin.up_to_index = history.up_to_index)`,
  )
  return (sessionId: string, index: number): void => {
    dropPins.run(sessionId, index)
    dropHistory.run(sessionId)
  }
}
