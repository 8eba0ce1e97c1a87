import {
  deriveClearedAs,
  deriveEventState,
  type EventRow,
  type EventRef,
} from '../../model/event.ts'
import type { Scope } from '../handle.ts'
import { toListName } from '../list-names.ts'
import {
  START_BYTES,
  type Stored,
  toCause,
  toCount,
  toFlag,
  toStart,
  toText,
  toTextOrNull,
  toTime,
} from '../sqlite-values.ts'
import type { SqliteSchema } from '../sqlite-schema.ts'

/** The columns from which a state follows. */
export interface StateColumns {
  readonly idx: Stored
  readonly event_type: Stored
  readonly lane_ready: Stored
  readonly processed_at: Stored
  readonly attempt_count: Stored
  readonly failure_count: Stored
  readonly failed_at: Stored
  readonly claim_expires_at: Stored
}

export interface EventColumns extends StateColumns {
  readonly event_id: Stored
  readonly payload_start: Buffer | string | null
  readonly payload_bytes: number | null
  /** Postgres only: it was not looked into. */
  readonly is_payload_large?: boolean
  readonly created_at: Stored
  readonly cause: Stored
  readonly lane: Stored
  readonly error_start: Buffer | string | null
  readonly claim_holder: Stored
}

export const STATE_SQL =
  'idx, event_type, lane_ready, processed_at, attempt_count, failure_count, failed_at, claim_expires_at'

/** To cut a value SQLite reads all of it: 13 ms for 25 MB. Its size alone stands in the row's header. */
const MAX_STARTED_BYTES = 1_048_576

/** Everything a list row shows; `payload_start` is null for a long payload. `cast … as blob` cuts by bytes: text functions stop at a NUL. */
export function eventSql(schema: SqliteSchema): string {
  const error = schema.events.columns.has('last_error')
    ? `substr(cast(last_error as blob), 1, ${START_BYTES})`
    : 'null'
  return `${STATE_SQL}, event_id,
    case when octet_length(payload) <= ${MAX_STARTED_BYTES}
      then substr(cast(payload as blob), 1, ${START_BYTES}) end as payload_start,
    octet_length(payload) as payload_bytes, created_at, cause, lane, ${error} as error_start, claim_holder`
}

/** The beginning of one payload, however long it is. */
export function readPayloadStart(scope: Scope, sessionId: string, index: number): Buffer | null {
  const row = scope.handle.get<{ start: Buffer | null }>(
    `select substr(cast(payload as blob), 1, ${START_BYTES}) as start from a2_events
     where session_id = ? and idx = ?`,
    [sessionId, index],
  )
  return row?.start ?? null
}

/** What a session's events are judged with. */
export interface Judge {
  readonly clearIndex: number
  readonly markerType: string
  readonly now: number
}

function factsOf(row: StateColumns, judge: Judge) {
  const index = toCount(row.idx)
  return {
    index,
    isMarker:
      judge.clearIndex > 0 &&
      (index === judge.clearIndex ||
        (index < judge.clearIndex && toText(row.event_type) === judge.markerType)),
    laneReady: toFlag(row.lane_ready),
    processedAt: toTime(row.processed_at),
    failedAt: toTime(row.failed_at),
    attemptCount: toCount(row.attempt_count),
    failureCount: toCount(row.failure_count),
    claimExpiresAt: toTime(row.claim_expires_at),
  }
}

export function toEventRef(row: StateColumns, judge: Judge): EventRef {
  const facts = factsOf(row, judge)
  return {
    index: facts.index,
    type: toListName(toText(row.event_type)),
    state: deriveEventState(facts, judge),
  }
}

/** `blockedBy` is left null: finding it takes a look at other rows. */
export function toEventRow(
  row: EventColumns,
  judge: Judge,
  { schema }: { readonly schema: Pick<SqliteSchema, 'encoding'> },
): EventRow {
  const facts = factsOf(row, judge)
  const state = deriveEventState(facts, judge)
  return {
    ...facts,
    id: toText(row.event_id),
    type: toText(row.event_type),
    payloadStart: toStart(row.payload_start, schema.encoding),
    payloadBytes: row.payload_bytes,
    ...(row.is_payload_large === true ? { isPayloadLarge: true } : {}),
    createdAt: toTime(row.created_at),
    cause: toCause(row.cause),
    lane: toTextOrNull(row.lane),
    lastErrorStart: row.error_start === null ? null : toStart(row.error_start, schema.encoding),
    claimHolder: toTextOrNull(row.claim_holder),
    state,
    clearedAs: state === 'cleared' ? deriveClearedAs(facts) : null,
    blockedBy: null,
  }
}
