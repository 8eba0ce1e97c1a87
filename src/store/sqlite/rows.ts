import type { EventCause } from '../../model/event.ts'
import { A2Error } from '../errors.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import type { StoredEvent } from '../store.ts'

export interface EventRow {
  readonly session_id: string
  readonly idx: number
  readonly event_type: string
  readonly payload: string
  readonly event_id: string
  readonly created_at: number
  readonly cause: string | null
  readonly lane: string | null
  readonly processed_at: number | null
  readonly attempt_count: number
  readonly failure_count: number
  readonly failed_at: number | null
  readonly last_error: string | null
  readonly claim_holder: string | null
  readonly claim_expires_at: number | null
}

/** The select list of an `EventRow`, in a table that may have further columns. */
export function eventColumns(has: Pick<OptionalColumns, 'hasLastError'>): string {
  return `session_id, idx, event_type, payload, event_id, created_at, cause, lane, processed_at,
    attempt_count, failure_count, failed_at, ${has.hasLastError ? '' : 'null as '}last_error,
    claim_holder, claim_expires_at`
}

export function toStoredEvent(row: EventRow): StoredEvent {
  return {
    sessionId: row.session_id,
    index: row.idx,
    id: row.event_id,
    type: row.event_type,
    payload: parseJson(row.payload, `the payload of event ${row.idx}`),
    createdAt: new Date(row.created_at),
    cause: toCause(row.cause),
    lane: row.lane,
    processedAt: toDate(row.processed_at),
    attemptCount: row.attempt_count,
    failureCount: row.failure_count,
    failedAt: toDate(row.failed_at),
    lastError: row.last_error,
    claimHolder: row.claim_holder,
    claimExpiresAt: toDate(row.claim_expires_at),
  }
}

function toCause(text: string | null): EventCause | null {
  return text === null ? null : (parseJson(text, 'a cause') as EventCause | null)
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new A2Error('STORE_UNAVAILABLE', `${what} is not valid JSON`, { cause: error })
  }
}
