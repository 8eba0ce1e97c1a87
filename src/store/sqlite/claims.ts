import { leaseEnd } from '../lease.ts'
import type { ClaimAnswer, ClaimRequest, RenewAnswer, RenewRequest } from '../store.ts'
import type { SqliteContext } from './context.ts'
import { type EventRow, toStoredEvent } from './rows.ts'
import type { SessionLog } from './session-log.ts'

export function bindClaims(context: SqliteContext, log: SessionLog, columns: string) {
  const claim = context.prepare(
    `update a2_events
        set attempt_count = attempt_count + 1, claim_holder = ?, claim_expires_at = ?
      where session_id = ? and idx > ? and processed_at is null and failed_at is null
        and lane_ready = 1 and (claim_expires_at is null or claim_expires_at <= ?)
        and idx not in (select value from json_each(?) where value is not null)
      returning ${columns}`,
  )
  const nextEnd = context.prepare(
    `select min(claim_expires_at) as retry_at from a2_events
      where session_id = ? and idx > ? and processed_at is null and failed_at is null
        and lane_ready = 1 and claim_expires_at > ?`,
  )
  const attemptOf = context.prepare(
    'select attempt_count from a2_events where session_id = ? and idx = ?',
  )
  const renew = context.prepare(
    `update a2_events set claim_expires_at = ?
      where session_id = ? and idx = ? and attempt_count = ? and processed_at is null
        and failed_at is null and claim_holder = ? and claim_expires_at > ?`,
  )
  return {
    /** Inside a transaction. */
    claimPending: (request: ClaimRequest): ClaimAnswer => {
      const { sessionId, holder, excludeIndexes = [] } = request
      const now = context.clock.now().getTime()
      const clearIndex = log.clearIndexOf(sessionId)
      const excluded = JSON.stringify(excludeIndexes)
      const events = claim
        .all<EventRow>(holder, leaseEnd(request, now), sessionId, clearIndex, now, excluded)
        .map((row) => ({ ...toStoredEvent(row), ...(clearIndex > 0 ? { clearIndex } : {}) }))
      if (events.length > 0)
        return { outcome: 'claimed', events: events.toSorted((a, b) => a.index - b.index) }
      const next = nextEnd.get<{ retry_at: number | null }>(sessionId, clearIndex, now)
      const retryAt = next?.retry_at ?? null
      return retryAt === null
        ? { outcome: 'empty' }
        : { outcome: 'waiting', retryAt: new Date(retryAt) }
    },
    /** Inside a transaction. */
    renew: (request: RenewRequest): RenewAnswer => {
      const { sessionId, holder, claims } = request
      const now = context.clock.now().getTime()
      const end = leaseEnd(request, now)
      const clearIndex = log.clearIndexOf(sessionId)
      const renewed: number[] = []
      const superseded: number[] = []
      for (const { index, attempt } of claims) {
        const row =
          index <= clearIndex
            ? undefined
            : attemptOf.get<{ attempt_count: number }>(sessionId, index)
        if (index <= clearIndex || (row !== undefined && row.attempt_count > attempt))
          superseded.push(index)
        else if (renew.run(end, sessionId, index, attempt, holder, now) > 0) renewed.push(index)
      }
      return { renewed, superseded }
    },
  }
}
