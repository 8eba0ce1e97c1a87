import type { ClearPreview, ReclaimPreview, RedrivePreview } from '../../model/action.ts'
import type { EventKey } from '../queries/event.ts'
import type { KnownWork } from '../queries/lane.ts'
import { LANE_ROWS, RECLAIM_COUNT, RECLAIM_SIZES, toClearPreview } from '../queries/previews.ts'
import { toBoundedCount } from '../queries/sessions.ts'
import { type Stored, toClearIndex, toCount, toText, toTextOrNull } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { eventFrom, eventSql } from './event-columns.ts'
import { toWaiting, type WaitingColumns, waitingSql } from './lane.ts'
import {
  asRows,
  atSql,
  clearSql,
  headSql,
  markerTypeSql,
  parseMade,
  toJudge,
  toMarkerType,
} from './pieces.ts'
import type { PostgresSchema, PostgresTable } from './schema.ts'
import { type SnapshotLists, snapshotListsSql, toSessionSnapshots } from './snapshots.ts'
import { type JudgedColumns, toJudgedRow } from './timeline.ts'

interface ClearColumns extends SnapshotLists {
  readonly head: Stored
  readonly clear_index: Stored
  readonly marker_type: Stored
}

/** What a clear would hide; undefined for a session without events. */
export function previewClear(
  { schema }: PostgresScope,
  sessionId: string,
): Question<Omit<ClearPreview, 'work'> | undefined> {
  return {
    sql: `select ${headSql(schema, '$1')} as head, ${clearSql(schema, '$1')} as clear_index,
      ${markerTypeSql(schema)} as marker_type, ${snapshotListsSql(schema)}`,
    params: [sessionId],
    read: (rows) => {
      const [row] = asRows<ClearColumns>(rows)
      if (row === undefined || toCount(row.head) === 0) return undefined
      return toClearPreview({
        sessionId,
        head: toCount(row.head),
        clearIndex: toClearIndex(row.clear_index),
        snapshots: toSessionSnapshots(row, schema),
        needsClearsTable: schema.clears === null,
        markerType: toMarkerType(row.marker_type),
      })
    },
  }
}

interface ReclaimColumns {
  readonly head: Stored
  readonly clear_index: Stored
  readonly below: Stored
  readonly payload_bytes: Stored
  readonly snapshots: Stored
  readonly pins: Stored
}

/** What reclaiming would delete for good; undefined for a session without events. */
export function previewReclaim(
  { schema }: PostgresScope,
  sessionId: string,
): Question<ReclaimPreview | undefined> {
  const { events, snapshots, history, pins } = schema
  return {
    sql: `with at as materialized (select ${clearSql(schema, '$1')} as clear_index),
      found as materialized (select count(*) as below from (
        select 1 from ${events.sql} e where e.session_id = $1
          and e.idx < (select clear_index from at) order by e.idx limit ${RECLAIM_COUNT + 1}) b)
      select ${headSql(schema, '$1')} as head, at.clear_index, found.below,
        case when found.below <= ${RECLAIM_SIZES} then (
          select coalesce(sum(pg_column_size(b.payload)), 0) from (
            select e.payload from ${events.sql} e where e.session_id = $1 and e.idx < at.clear_index
             order by e.idx limit ${RECLAIM_SIZES}) b)::int8 end as payload_bytes,
        ${belowSql(snapshots, 't.up_to_index')} + ${belowSql(history, 't.up_to_index')} as snapshots,
        ${belowSql(pins, 'least(t.event_index, t.up_to_index)')} as pins
      from at cross join found`,
    params: [sessionId],
    read: (rows) => {
      const [row] = asRows<ReclaimColumns>(rows)
      if (row === undefined || toCount(row.head) === 0) return undefined
      return {
        sessionId,
        clearIndex: toClearIndex(row.clear_index),
        events: toBoundedCount(toCount(row.below), RECLAIM_COUNT),
        payloadBytes: row.payload_bytes === null ? null : toCount(row.payload_bytes),
        snapshots: toCount(row.snapshots),
        pins: toCount(row.pins),
      }
    },
  }
}

/** Rows of a session below its marker, of a statement with a common table `at`. */
function belowSql(table: PostgresTable | null, index: string): string {
  if (table === null) return '0'
  return `(select count(*) from ${table.sql} t, at where t.session_id = $1 and ${index} < at.clear_index)`
}

type RedriveColumns = JudgedColumns & WaitingColumns & { readonly next_of_lane: Stored }

/** What a retry or skip would do; undefined when the event is not stored. */
export function previewRedrive(
  scope: PostgresScope,
  { action, ...key }: EventKey & { action: RedrivePreview['action'] },
  work: KnownWork | null,
): Question<RedrivePreview | undefined> {
  const { schema } = scope
  const at = { session: '$1', lane: 'one.lane', clearIndex: 'at.clear_index' }
  return {
    sql: `with ${atSql(schema, '$1')},
      one as materialized (select ${eventSql(schema)} from ${eventFrom(schema)}
        where e.session_id = $1 and e.idx = $2::bigint)
      select one.*, at.*, null::bigint as lane_head, ${waitingSql(schema, { ...at, index: 'one.idx' })},
        case when one.lane is not null then ${nextOfLaneSql(schema)} end as next_of_lane
      from one cross join at`,
    params: [key.sessionId, key.index],
    read: (rows) => {
      const [row] = asRows<RedriveColumns>(rows)
      if (row === undefined) return undefined
      const event = toJudgedRow(row, scope)
      const isStillDead = event.state === 'dead'
      const lane = toTextOrNull(row.lane)
      const { clearIndex } = toJudge(row, scope)
      const isLive = lane !== null && key.index > clearIndex
      return {
        ...key,
        action,
        type: toText(row.event_type),
        lane,
        isStillDead,
        becomesReady:
          action === 'skip' && isStillDead
            ? parseMade<RedrivePreview['becomesReady']>(row.next_of_lane)
            : null,
        waitingBehind: isLive
          ? toWaiting(row, { schema, sessionId: key.sessionId, lane, above: key.index, work })
          : { count: 0, isLowerBound: false },
        lastErrorStart: event.lastErrorStart,
      }
    },
  }
}

/** The lowest unfinished live event of the lane but this one: what a skip makes ready. */
function nextOfLaneSql({ events, hasWorkIndex, hasLaneIndex }: PostgresSchema): string {
  const columns = 'e.idx, e.event_type, e.lane, e.processed_at'
  const from = `${events.sql} e where e.session_id = $1 and e.idx > at.clear_index`
  const rows =
    hasWorkIndex || hasLaneIndex
      ? `select ${columns} from ${from} and e.processed_at is null and e.lane = one.lane`
      : `select ${columns} from ${from} order by e.idx limit ${LANE_ROWS}`
  return `(select json_build_object('index', r.idx, 'type', r.event_type) from (${rows}) r
    where r.processed_at is null and r.lane = one.lane and r.idx <> one.idx order by r.idx limit 1)`
}
