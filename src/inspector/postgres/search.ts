import type { SearchPlace, SearchRequest } from '../../model/search.ts'
import type { FoundEvent, SearchSlice, SliceBounds } from '../queries/search.ts'
import { type Stored, toCount } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, makeBinder } from './pieces.ts'
import { conditionSql } from './search-condition.ts'

interface FoundColumns {
  readonly place?: string
  readonly session_id: string
  readonly idx: Stored
  readonly bytes: Stored
}

/** Where the one session begins and ends; null when it has no event. */
export function sessionBounds(
  { schema: { events } }: PostgresScope,
  sessionId: string,
): Question<SearchPlace | null> {
  return {
    sql: `select min(idx) as first, max(idx) as head from ${events.sql} where session_id = $1`,
    params: [sessionId],
    read: (rows) => {
      const [row] = asRows<{ first: Stored; head: Stored }>(rows)
      if (row === undefined || row.head === null) return null
      const head = toCount(row.head)
      return { by: 'index', first: toCount(row.first), head, through: head }
    },
  }
}

/** One slice from a place on; see `SearchReader`. */
export function searchSlice(
  scope: PostgresScope,
  request: SearchRequest,
  place: SearchPlace,
  bounds: SliceBounds,
): Question<SearchSlice> {
  if (place.by === 'block') return sliceByBlock(scope, request, place, bounds)
  if (place.by === 'index') return sliceByIndex(scope, request, place, bounds)
  if (place.by === 'key') return sliceByKey(scope, request, place, bounds)
  throw new Error('rows of Postgres have no numbers')
}

function sliceByBlock(
  { schema }: PostgresScope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'block' }>,
  { size, limit }: SliceBounds,
): Question<SearchSlice> {
  const { block, line } = place
  const from = Math.max(place.floor, block - size)
  // The bounds must be parameters: computed ones are not seen as a range.
  const { params, bind } = makeBinder(`(${from},0)`, `(${block},${line})`)
  return {
    sql: `select e.ctid::text as place, e.session_id, e.idx, pg_column_size(e.payload) as bytes
      from ${schema.events.sql} e
      where e.ctid >= $1::tid and e.ctid < $2::tid and ${conditionSql(schema, request, bind)}
      order by e.ctid desc limit ${bind(limit)}`,
    params,
    read: (stored) => {
      const rows = asRows<FoundColumns>(stored)
      const last = rows.length < limit ? undefined : rows.at(-1)?.place
      const before = last === undefined ? { block: from, line: 0 } : toTid(last)
      const isEnd = before.block === place.floor && before.line === 0
      return { found: rows.map(toFound), next: isEnd ? null : { ...place, ...before } }
    },
  }
}

function toTid(text: string): { readonly block: number; readonly line: number } {
  const [, block, line] = /^\((\d+),(\d+)\)$/.exec(text) ?? []
  return { block: Number(block), line: Number(line) }
}

function sliceByIndex(
  { schema }: PostgresScope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'index' }>,
  { size, limit }: SliceBounds,
): Question<SearchSlice> {
  const above = place.through - size
  const { params, bind } = makeBinder(request.sessionId, above, place.through)
  return {
    sql: `select e.session_id, e.idx, pg_column_size(e.payload) as bytes from ${schema.events.sql} e
      where e.session_id = $1 and e.idx > $2::bigint and e.idx <= $3::bigint
        and ${conditionSql(schema, request, bind)}
      order by e.idx desc limit ${bind(limit)}`,
    params,
    read: (stored) => {
      const found = asRows<FoundColumns>(stored).map(toFound)
      const last = found.length < limit ? undefined : found.at(-1)
      const through = last === undefined ? above : last.index - 1
      return { found, next: through < place.first ? null : { ...place, through } }
    },
  }
}

/** Where nothing helps: looks at `size` rows in key order. */
function sliceByKey(
  { schema }: PostgresScope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'key' }>,
  { size, limit }: SliceBounds,
): Question<SearchSlice> {
  const { after } = place
  const { params, bind } = makeBinder(...(after === null ? [] : [after.session, after.index]))
  const where = after === null ? '' : 'where (e.session_id, e.idx) > ($1, $2::bigint)'
  const condition = conditionSql(schema, request, bind)
  return {
    sql: `with looked as materialized (select e.session_id, e.idx, row_number() over () as n,
          pg_column_size(e.payload) as bytes, ${condition} as is_match
        from (select * from ${schema.events.sql} e ${where}
          order by e.session_id, e.idx limit ${bind(size)}) e),
      found as (select n from looked where is_match order by n limit ${bind(limit)}),
      last as (select case when count(*) < ${bind(limit)} then (select max(n) from looked)
          else max(n) end as n from found)
      select l.session_id, l.idx, l.bytes, l.n = last.n as is_last, l.n as looked,
        coalesce(l.is_match, false) as is_match
      from last join looked l on l.n <= last.n and (l.is_match or l.n = last.n) order by l.n`,
    params,
    read: (stored) => {
      const rows = asRows<FoundColumns & KeyColumns>(stored)
      const last = rows.find(({ is_last }) => is_last)
      const found = rows.filter(({ is_match }) => is_match).map(toFound)
      const looked = toCount(last?.looked ?? 0)
      const isEnd = last === undefined || (looked < size && found.length < limit)
      if (isEnd) return { found, next: null }
      const key = { session: last.session_id, index: toCount(last.idx) }
      return { found, next: { by: 'key', after: key, looked: place.looked + looked } }
    },
  }
}

interface KeyColumns {
  readonly is_match: boolean
  readonly is_last: boolean
  readonly looked: Stored
}

function toFound({ session_id, idx, bytes }: FoundColumns): FoundEvent {
  return { sessionId: session_id, index: toCount(idx), bytes: toCount(bytes) }
}
