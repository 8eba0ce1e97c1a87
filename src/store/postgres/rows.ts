import type { EventCause } from '../../model/event.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import type { SessionEvent, StoredEvent } from '../store.ts'
import type { Row } from './connection.ts'

/** The select list of an `EventRow`, in a table that may have further columns. */
export function eventColumns(has: OptionalColumns, alias: string): string {
  const names = [
    'session_id, idx, event_type, payload, event_id, created_at, cause, lane, processed_at',
    'attempt_count, failure_count, failed_at, claim_holder, claim_expires_at',
  ]
  const columns = names.flatMap((line) => line.split(', ')).map((name) => `${alias}.${name}`)
  return [...columns, has.hasLastError ? `${alias}.last_error` : 'null as last_error'].join(', ')
}

/** The select list of a plain event. */
export const PLAIN_COLUMNS = 'session_id, idx, event_id, event_type, payload, created_at'

export interface PlainEventRow extends Row {
  readonly session_id: string
  readonly idx: number
  readonly event_id: string
  readonly event_type: string
  readonly payload: unknown
  readonly created_at: number
}

export interface EventRow extends PlainEventRow {
  readonly cause: EventCause | null
  readonly lane: string | null
  readonly processed_at: number | null
  readonly attempt_count: number
  readonly failure_count: number
  readonly failed_at: number | null
  readonly last_error: string | null
  readonly claim_holder: string | null
  readonly claim_expires_at: number | null
}

export function toSessionEvent(row: Row): SessionEvent {
  const event = row as PlainEventRow
  return {
    sessionId: event.session_id,
    index: event.idx,
    id: event.event_id,
    type: event.event_type,
    payload: event.payload,
    createdAt: new Date(event.created_at),
  }
}

export function toStoredEvent(row: Row): StoredEvent {
  const event = row as EventRow
  return {
    ...toSessionEvent(row),
    cause: event.cause,
    lane: event.lane,
    processedAt: toDate(event.processed_at),
    attemptCount: event.attempt_count,
    failureCount: event.failure_count,
    failedAt: toDate(event.failed_at),
    lastError: event.last_error,
    claimHolder: event.claim_holder,
    claimExpiresAt: toDate(event.claim_expires_at),
  }
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
