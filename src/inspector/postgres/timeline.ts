import type { EventRow } from '../../model/event.ts'
import type { NewEvent } from '../../model/live.ts'
import { toListName } from '../list-names.ts'
import { type EventColumns, toEventRow } from '../queries/event-columns.ts'
import type { EventKey } from '../queries/event.ts'
import type { KnownWork } from '../queries/lane.ts'
import { MAX_WIDTH } from '../queries/timeline.ts'
import { type Stored, toCount, toText } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { eventFrom, eventSql } from './event-columns.ts'
import { candidatesSql, knownIndexes, laneHeadSql } from './lane.ts'
import {
  asRows,
  type AtColumns,
  atSql,
  clearSql,
  makeBinder,
  markerTypeSql,
  NOW_SQL,
  toJudge,
} from './pieces.ts'
import type { PostgresSchema } from './schema.ts'

/** How values are read that are the same in every database. */
const TEXT = { schema: { encoding: 'utf-8' } } as const

export interface RangeWanted {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

export type JudgedColumns = EventColumns & AtColumns & { readonly lane_head: Stored }

/** Stored events with from ≤ index ≤ to, ascending; at most 500 indexes wide. */
export function range(
  scope: PostgresScope,
  wanted: RangeWanted,
  work: KnownWork | null,
): Question<EventRow[]> {
  const { schema } = scope
  const to = Math.min(wanted.to, wanted.from + MAX_WIDTH - 1)
  const { params, bind } = makeBinder(wanted.sessionId, wanted.from, to)
  const known = knownIndexes(schema, wanted.sessionId, work)
  return {
    sql: `with ${atSql(schema, '$1')},
      page as materialized (select ${eventSql(schema)} from ${eventFrom(schema)}
        where e.session_id = $1 and e.idx >= $2::bigint and e.idx <= $3::bigint),
      lanes as materialized (select distinct page.lane from page, at
        where page.lane is not null and page.processed_at is null and page.failed_at is null
          and page.idx > at.clear_index),
      heads as materialized (${headsSql(schema, { known, bind })})
      select page.*, at.*, heads.idx as lane_head from at cross join page
      left join heads on heads.lane = page.lane order by page.idx`,
    params,
    read: (rows) => asRows<JudgedColumns>(rows).map((row) => toJudgedRow(row, scope)),
  }
}

function headsSql(
  schema: PostgresSchema,
  options: { readonly known: readonly number[] | null; readonly bind: (value: unknown) => string },
): string {
  const at = { session: '$1', clearIndex: '(select clear_index from at)' }
  if (schema.hasLaneIndex) {
    return `select l.lane, ${laneHeadSql(schema, { ...at, lane: 'l.lane' }, options)} as idx from lanes l`
  }
  // Without lanes on the page nothing is looked for.
  return `select c.lane, min(c.idx) as idx from (${candidatesSql(schema, at, options)}) c
    where exists (select from lanes) and c.lane in (select lane from lanes) group by c.lane`
}

export function toJudgedRow(row: JudgedColumns, scope: PostgresScope): EventRow {
  const event = toEventRow(row, toJudge(row, scope), TEXT)
  const head = row.lane_head === null ? null : toCount(row.lane_head)
  const isBehind = event.state === 'blocked' && head !== null && head < event.index
  return isBehind ? { ...event, blockedBy: head } : event
}

/** Single events in the order asked for; null for one that is gone. */
export function eventRows(
  scope: PostgresScope,
  keys: readonly EventKey[],
): Question<(EventRow | null)[]> {
  const { schema } = scope
  // Looking for the head of a lane once for each row is affordable with an index only.
  const head = schema.hasLaneIndex
    ? laneHeadSql(
        schema,
        { session: 'k.session_id', lane: 'one.lane', clearIndex: 'c.clear_index' },
        { known: null, bind: () => 'null' },
      )
    : 'null::bigint'
  return {
    sql: `with at as materialized (
        select ${NOW_SQL} as now, ${markerTypeSql(schema)} as marker_type)
      select one.*, at.*, c.clear_index,
        case when one.processed_at is null and one.failed_at is null then ${head} end as lane_head
      from unnest($1::text[], $2::bigint[]) with ordinality as k(session_id, idx, n) cross join at
      cross join lateral (select ${clearSql(schema, 'k.session_id')} as clear_index) c
      left join lateral (select ${eventSql(schema)} from ${eventFrom(schema)}
        where e.session_id = k.session_id and e.idx = k.idx limit 1) one on true
      order by k.n`,
    params: [keys.map(({ sessionId }) => sessionId), keys.map(({ index }) => index)],
    read: (rows) =>
      asRows<JudgedColumns>(rows).map((row) => (row.idx === null ? null : toJudgedRow(row, scope))),
  }
}

/** The names of events with from ≤ index ≤ to, ascending. */
export function refs(
  { schema: { events } }: PostgresScope,
  { sessionId, from, to }: RangeWanted,
): Question<NewEvent[]> {
  return {
    sql: `select idx, event_type from ${events.sql}
      where session_id = $1 and idx >= $2::bigint and idx <= $3::bigint order by idx`,
    params: [sessionId, from, to],
    read: (rows) =>
      asRows<{ idx: Stored; event_type: Stored }>(rows).map((row) => ({
        sessionId,
        index: toCount(row.idx),
        type: toListName(toText(row.event_type)),
      })),
  }
}
