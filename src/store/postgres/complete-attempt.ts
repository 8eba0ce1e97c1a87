import { alreadyReturned } from '../errors.ts'
import { type CheckedCompletion, suppliedIds } from '../event-batch.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import { isCause, isSameReturn, toReturnedIds } from '../returned-event-ids.ts'
import type { CompleteAnswer } from '../store.ts'
import { type Connection, statement, type Transaction } from './connection.ts'
import { bindHold, type HeldEvent, releaseSql } from './held-event.ts'
import { type Batch, batchParams, insertSql, ownersIn, toStored } from './new-events.ts'
import { toStoredEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, logStatusIn, type SessionLog } from './session-log.ts'

interface Context {
  readonly now: () => number
  readonly has: OptionalColumns
}

const SUPERSEDED: CompleteAnswer = { outcome: 'superseded' }

export function bindCompleteAttempt(
  connection: Connection,
  tables: Tables,
  log: SessionLog,
  { now, has }: Context,
) {
  const hold = bindHold(tables, log, has)
  /** Holds the event, then the session: not for an attempt that is over, as a handler may wait for the event there. */
  const holdBoth = statement(
    `with parent as materialized (
       select attempt_count = $3::float8 and processed_at is null and failed_at is null as is_current
         from ${tables.events}
        where session_id = $1 and idx = $2 and idx > ${clearIndexIn(tables)}
          for update)
     select pg_advisory_xact_lock(hashtext($1))
      where not exists (select 1 from parent where not is_current)`,
  )
  const completion = statement(completionSql(tables, has))
  /** Stores what was returned and finishes the event, unless it is not the attempt's or one of `ids` has a row. */
  const complete = (
    { index, attempt, events }: CheckedCompletion,
    batch: Batch,
    at: number,
    ids: readonly string[],
  ) => {
    const returned = JSON.stringify(events.map((event) => event.id))
    return completion(
      ...batchParams(batch, at),
      index,
      attempt,
      ids,
      ...(has.hasReturnedEventIds ? [returned] : []),
    )
  }

  /** The answer given before, or the reason why this is not that completion again. */
  const replay = async (
    tx: Transaction,
    request: CheckedCompletion,
    parent: HeldEvent,
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

  const completeInSteps = async (
    tx: Transaction,
    request: CheckedCompletion,
  ): Promise<CompleteAnswer> => {
    const { sessionId, index, attempt } = request
    const parent = await hold(tx, sessionId, index)
    if (parent === undefined) return SUPERSEDED
    const ids = suppliedIds(request.events)
    if (parent.isProcessed) return replay(tx, request, parent)
    if (parent.attemptCount !== attempt || parent.isDead) return SUPERSEDED
    const { found, head, clearIndex } = await log.holdSession(tx, sessionId, ids)
    if (index <= clearIndex) return SUPERSEDED
    if ((await log.keepLive(tx, sessionId, found, clearIndex)).length > 0) throw alreadyReturned()
    const [batch, at] = [toBatch(request), now()]
    tx.later(complete(request, batch, at, []))
    if (parent.lane !== null) tx.later(log.promote(sessionId, index))
    return { outcome: 'completed', events: toStored(batch, head, at) }
  }

  /** All in one round trip; undefined where it could not be completed, and nothing was changed. */
  const completeAtOnce = (request: CheckedCompletion): Promise<CompleteAnswer | undefined> =>
    connection.transaction(async (tx) => {
      const { sessionId, index, attempt, events } = request
      const [batch, at] = [toBatch(request), now()]
      const ids = events.map((event) => event.id)
      const [, rows] = await tx.commit(
        holdBoth(sessionId, index, attempt),
        complete(request, batch, at, ids),
        log.promote(sessionId, index),
      )
      const head = rows?.[0]?.['head']
      if (head === undefined) return undefined
      return { outcome: 'completed', events: toStored(batch, Number(head), at) }
    })

  return async (request: CheckedCompletion): Promise<CompleteAnswer> => {
    const ids = new Set(request.events.map((event) => event.id))
    const atOnce = ids.size === request.events.length ? await completeAtOnce(request) : undefined
    return atOnce ?? connection.transaction((tx) => completeInSteps(tx, request))
  }
}

/** Every returned event has an id of its own. */
function toBatch({ sessionId, index, attempt, events }: CheckedCompletion): Batch {
  const children = events.map((event) => ({ ...event, cause: { index, attempt } }))
  return { sessionId, events: children, idAt: () => '' }
}

function completionSql(tables: Tables, has: OptionalColumns): string {
  const isHeld = 'exists (select 1 from held)'
  return `
    with held as materialized (
      select status.head, status.clear_index
        from (${logStatusIn(tables)}) status
        join ${tables.events} event on event.idx > status.clear_index
       where event.session_id = $1 and event.idx = $11 and event.attempt_count = $12::float8
         and event.processed_at is null and event.failed_at is null
         and not exists (${ownersIn(tables, '$13')})
         for update of event
    ), children as (${insertSql(tables, 'held')}
    ), finished as (
      update ${tables.events}
         set processed_at = $2, lane_ready = false, claim_holder = null, claim_expires_at = null
             ${has.hasReturnedEventIds ? ', returned_event_ids = $14::jsonb' : ''}
       where session_id = $1 and idx = $11 and ${isHeld}
    ), ${releaseSql(tables, '$11', isHeld)}
    select head from held`
}
