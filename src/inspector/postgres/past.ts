import type { IndexRange } from '../../model/lifetime.ts'
import type { GoneStep, MarkerRequest, StoredMarker } from '../queries/past.ts'
import { type Stored, toCount } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, parseMade } from './pieces.ts'

const WINDOW = 4096
const MARKER_ROWS = 2000

type Pairs = readonly (readonly [number, number])[]

/** The indexes missing in [from, through], as far as one short look gets. Reads the primary key alone. */
export function gone(
  { schema: { events } }: PostgresScope,
  { sessionId, from, through }: { sessionId: string; from: number; through: number },
): Question<GoneStep> {
  return {
    sql: `with first as materialized (
        select min(idx) as idx from ${events.sql}
         where session_id = $1 and idx >= $2::bigint and idx <= $3::bigint),
      looked as materialized (
        select e.idx, lag(e.idx) over (order by e.idx) as before
          from first cross join lateral (
            select idx from ${events.sql}
             where session_id = $1 and idx >= first.idx
               and idx <= least($3::bigint, first.idx + ${WINDOW - 1})
             order by idx limit ${WINDOW}) e)
      select first.idx as first, (select max(idx) from looked) as last,
        (select json_agg(json_build_array(before + 1, idx - 1) order by idx)
           from looked where idx > before + 1) as holes
      from first`,
    params: [sessionId, from, through],
    read: (rows) => {
      const [row] = asRows<{ first: Stored; last: Stored; holes: Stored }>(rows)
      if (row === undefined || row.first === null) {
        return { gone: [{ from, to: through }], next: null }
      }
      const first = toCount(row.first)
      const last = toCount(row.last)
      const to = Math.min(through, first + WINDOW - 1)
      const holes = (parseMade<Pairs>(row.holes) ?? []).map(([a, b]): IndexRange => ({
        from: a,
        to: b,
      }))
      return {
        gone: [
          ...(first > from ? [{ from, to: first - 1 }] : []),
          ...holes,
          ...(last < to ? [{ from: last + 1, to }] : []),
        ],
        next: to < through ? to + 1 : null,
      }
    },
  }
}

/** Markers with from ≤ index ≤ through, descending, as far as one short look gets. */
export function markers(
  { schema: { events } }: PostgresScope,
  wanted: MarkerRequest,
): Question<{ markers: StoredMarker[]; scannedFrom: number }> {
  return {
    sql: `with looked as materialized (
        select idx, created_at, event_type = $4 or idx = $5::bigint as is_marker
          from ${events.sql}
         where session_id = $1 and idx >= $2::bigint and idx <= $3::bigint
         order by idx desc limit ${MARKER_ROWS})
      select (select count(*) from looked) as looked, (select min(idx) from looked) as lowest,
        (select json_agg(json_build_array(idx, created_at) order by idx desc)
           from looked where is_marker) as markers`,
    params: [wanted.sessionId, wanted.from, wanted.through, wanted.markerType, wanted.clearIndex],
    read: (rows) => {
      const [row] = asRows<{ looked: Stored; lowest: Stored; markers: Stored }>(rows)
      const found = parseMade<readonly (readonly [number, number | null])[]>(row?.markers ?? null)
      const isEnd = toCount(row?.looked ?? 0) < MARKER_ROWS
      return {
        markers: (found ?? []).map(([index, createdAt]) => ({ index, createdAt })),
        scannedFrom: isEnd ? wanted.from : toCount(row?.lowest ?? wanted.from),
      }
    },
  }
}
