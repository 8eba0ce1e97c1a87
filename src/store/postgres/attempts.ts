import { alreadyReturned, noSuchEvent } from '../errors.ts'
import { type CheckedCompletion, suppliedIds } from '../event-batch.ts'
import { makeIdSource } from '../id-source.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import { isCause, isSameReturn, toReturnedIds } from '../returned-event-ids.ts'
import type { CompleteAnswer, FailAnswer, FailRequest } from '../store.ts'
import { statement, type Transaction } from './connection.ts'
import type { Events } from './events.ts'
import { toStoredEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog } from './session-log.ts'

interface Context {
  readonly now: () => number
  readonly has: OptionalColumns
}

interface Parent {
  readonly lane: string | null
  readonly isProcessed: boolean
  readonly isDead: boolean
  readonly attemptCount: number
  readonly failureCount: number
  readonly returnedIds: unknown
}

const SUPERSEDED: CompleteAnswer = { outcome: 'superseded' }

export function bindAttempts(tables: Tables, log: SessionLog, events: Events, context: Context) {
  const { has } = context
  const clearIndex = clearIndexIn(tables)

  const hold = statement(
    `select boundary.clear_index, parent.*
       from (select ${clearIndex} as clear_index) boundary
       left join lateral (
         select idx, lane, processed_at, failed_at, attempt_count, failure_count,
                ${has.hasReturnedEventIds ? '' : 'null::jsonb as '}returned_event_ids
           from ${tables.events}
          where session_id = $1 and idx = $2 and idx > boundary.clear_index
            for update
       ) parent on true`,
  )
  /** An event that is finished or given up needs no snapshot any more; history nobody needs goes with its pins. */
  const andRelease = (update: string) =>
    statement(
      `with updated as (${update}), released as (
         delete from ${tables.pins} where session_id = $1 and event_index = $2)
       delete from ${tables.history} history
        where session_id = $1 and not exists (
          select 1 from ${tables.pins} pin
           where pin.session_id = history.session_id
             and pin.reducer_name = history.reducer_name
             and pin.up_to_index = history.up_to_index
             and pin.event_index <> $2)`,
    )
  const finish = andRelease(
    `update ${tables.events}
        set processed_at = $3, lane_ready = false, claim_holder = null, claim_expires_at = null
            ${has.hasReturnedEventIds ? ', returned_event_ids = $4::jsonb' : ''}
      where session_id = $1 and idx = $2`,
  )
  const failSql = `
    update ${tables.events}
       set failure_count = $3, failed_at = $4, claim_holder = null, claim_expires_at = null
           ${has.hasLastError ? ', last_error = $5' : ''}
     where session_id = $1 and idx = $2`
  const failOnce = statement(failSql)
  const failForGood = andRelease(failSql)

  /** Holds the event's row until the end. Undefined when it lies at or below the marker. */
  const holdParent = async (
    tx: Transaction,
    sessionId: string,
    index: number,
  ): Promise<Parent | undefined> => {
    const [rows] = await tx.send(hold(sessionId, index))
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

  /** The answer given before, or the reason why this is not that completion again. */
  const replay = async (
    tx: Transaction,
    request: CheckedCompletion,
    parent: Parent,
  ): Promise<CompleteAnswer> => {
    const { sessionId, index, attempt } = request
    const ids = request.events.map((event) => event.id)
    const recorded = has.hasReturnedEventIds ? toReturnedIds(parent.returnedIds) : ids
    if (parent.attemptCount !== attempt || recorded === null) return SUPERSEDED
    if (!isSameReturn(recorded, ids)) throw alreadyReturned()
    if (ids.length === 0) return { outcome: 'completed', events: [] }
    const [rows = []] = await tx.send(log.owners(ids))
    const byId = new Map(rows.map((row) => [row['event_id'], toStoredEvent(row)]))
    const stored = ids.flatMap((id) => byId.get(id) ?? [])
    if (stored.length < ids.length && (await log.isCleared(tx, sessionId, index))) return SUPERSEDED
    const isWhole = stored.every(
      (event) => event.sessionId === sessionId && isCause(event.cause, index, attempt),
    )
    if (!isWhole || stored.length < ids.length) throw alreadyReturned()
    return { outcome: 'completed', events: stored }
  }

  const completeAttempt = async (
    tx: Transaction,
    request: CheckedCompletion,
  ): Promise<CompleteAnswer> => {
    const { sessionId, index, attempt } = request
    const parent = await holdParent(tx, sessionId, index)
    if (parent === undefined) return SUPERSEDED
    const ids = suppliedIds(request.events)
    if (parent.isProcessed) return replay(tx, request, parent)
    if (parent.attemptCount !== attempt || parent.isDead) return SUPERSEDED
    const { found, ...status } = await log.holdSession(tx, sessionId, ids)
    const at = { ...status, now: context.now() }
    if (index <= at.clearIndex) return SUPERSEDED
    if ((await log.keepLive(tx, sessionId, found, at.clearIndex)).length > 0)
      throw alreadyReturned()
    const children = request.events.map((event) => ({ ...event, cause: { index, attempt } }))
    // Every returned event has an id of its own.
    const idAt = makeIdSource(() => '')
    const stored = events.insertBatch(tx, { sessionId, events: children, idAt }, at)
    const returned = has.hasReturnedEventIds ? [JSON.stringify(ids)] : []
    tx.later(finish(sessionId, index, at.now, ...returned))
    if (parent.lane !== null) tx.later(log.promote(sessionId, parent.lane))
    return { outcome: 'completed', events: stored }
  }

  const failAttempt = async (tx: Transaction, request: FailRequest): Promise<FailAnswer> => {
    const { sessionId, index, attempt, error, maxFailures } = request
    const parent = await holdParent(tx, sessionId, index)
    if (parent === undefined) return { outcome: 'superseded', failureCount: 0 }
    if (parent.attemptCount !== attempt || parent.isProcessed || parent.isDead)
      return { outcome: 'superseded', failureCount: parent.failureCount }
    const failureCount = parent.failureCount + 1
    const isDead = failureCount >= maxFailures
    const fail = isDead ? failForGood : failOnce
    const failedAt = isDead ? context.now() : null
    tx.later(fail(sessionId, index, failureCount, failedAt, ...(has.hasLastError ? [error] : [])))
    return { outcome: isDead ? 'dead' : 'retry', failureCount }
  }

  return { completeAttempt, failAttempt }
}
