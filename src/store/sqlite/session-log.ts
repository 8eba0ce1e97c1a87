import type { EventCause } from '../../model/event.ts'
import { noSuchEvent, supersededAttempt } from '../errors.ts'
import type { SqliteContext } from './context.ts'

/** A row of a2_events as it is inserted; times are epoch milliseconds. */
export interface InsertedEvent {
  readonly sessionId: string
  readonly index: number
  readonly type: string
  /** JSON text. */
  readonly payload: string
  readonly id: string
  readonly createdAt: number
  readonly cause: EventCause | null
  readonly lane: string | null
  readonly processedAt: number | null
}

/** A session's clear index inside another statement; takes the session as its parameter. */
export const CLEAR_INDEX = 'coalesce((select clear_index from a2_clears where session_id = ?), 0)'

const INSERT = `
insert into a2_events
  (session_id, idx, event_type, payload, event_id, created_at, cause, lane, lane_ready, processed_at)
values (?, ?, ?, ?, ?, ?, ?, ?,
  ? is null or not exists (
    select 1 from a2_events
     where session_id = ? and lane = ? and processed_at is null and idx > ?
  ), ?)`

const PROMOTE = `
update a2_events set lane_ready = 1
 where session_id = ?
   and idx = (
     select idx from a2_events
      where session_id = ? and lane = ? and processed_at is null and idx > ?
      order by idx limit 1
   )`

/** What the writing operations share. Uses only columns that every version of the tables has. */
export function bindSessionLog(context: SqliteContext) {
  const clearIndex = context.prepare('select clear_index from a2_clears where session_id = ?')
  const head = context.prepare('select max(idx) as head from a2_events where session_id = ?')
  const pending = context.prepare(
    'select 1 from a2_events where session_id = ? and processed_at is null and idx > ? limit 1',
  )
  const insert = context.prepare(INSERT)
  const promote = context.prepare(PROMOTE)
  const attempt = context.prepare(
    'select attempt_count, failed_at from a2_events where session_id = ? and idx = ?',
  )
  return {
    /** 0 when the session was never cleared. */
    clearIndexOf: (sessionId: string): number =>
      context.hasClearsTable()
        ? (clearIndex.get<{ clear_index: number }>(sessionId)?.clear_index ?? 0)
        : 0,
    /** 0 when the session has no event. */
    headOf: (sessionId: string): number => head.get<{ head: number | null }>(sessionId)?.head ?? 0,
    hasPending: (sessionId: string, clearedThrough: number): boolean =>
      pending.get(sessionId, clearedThrough) !== undefined,
    /** A lane event is ready unless an unfinished one of its lane precedes it in this lifetime. */
    insert: (event: InsertedEvent, clearedThrough: number): void => {
      insert.run(
        event.sessionId,
        event.index,
        event.type,
        event.payload,
        event.id,
        event.createdAt,
        event.cause === null ? null : causeText(event.cause),
        event.lane,
        event.lane,
        event.sessionId,
        event.lane,
        clearedThrough,
        event.processedAt,
      )
    },
    /** Makes the lowest unfinished live event of a lane ready. */
    promote: (sessionId: string, lane: string | null, clearedThrough: number): void => {
      if (lane !== null) promote.run(sessionId, sessionId, lane, clearedThrough)
    },
    /** Throws unless `cause` is its live event's latest attempt, not failed for good. */
    assertCurrent: (sessionId: string, cause: EventCause, clearedThrough: number): void => {
      if (cause.index <= clearedThrough) throw supersededAttempt(sessionId, cause)
      const row = attempt.get<{ attempt_count: number; failed_at: number | null }>(
        sessionId,
        cause.index,
      )
      if (row === undefined) throw noSuchEvent(sessionId, cause.index)
      if (row.attempt_count !== cause.attempt || row.failed_at !== null)
        throw supersededAttempt(sessionId, cause)
    },
  }
}

export type SessionLog = ReturnType<typeof bindSessionLog>

function causeText({ index, attempt }: EventCause): string {
  return JSON.stringify({ index, attempt })
}
