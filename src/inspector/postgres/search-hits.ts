import type { SearchHit, SearchRequest } from '../../model/search.ts'
import type { EventKey } from '../queries/event.ts'
import { type HitColumns, PIECE, toPiece, toSearchHit } from '../search-hit.ts'
import { makeMatcher, type SearchedText, toLikePattern } from '../search-text.ts'
import { type Stored, toCount } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { E_STATE_SQL } from './event-columns.ts'
import {
  asRows,
  type AtColumns,
  clearSql,
  makeBinder,
  markerTypeSql,
  NOW_SQL,
  toJudge,
} from './pieces.ts'
import { comparable, textConditionSql } from './search-condition.ts'

interface StoredHit extends HitColumns, AtColumns {
  readonly session_id: string
  readonly payload_at: Stored
  readonly payload_piece: string | null
  readonly error_at: Stored
  readonly error_piece: string | null
}

/** What a list shows of found events, in the order of the keys; those that are gone by now are left out. */
export function searchHits(
  scope: PostgresScope,
  request: SearchRequest,
  keys: readonly EventKey[],
): Question<SearchHit[]> {
  const { schema } = scope
  const { params, bind } = makeBinder(
    keys.map(({ sessionId }) => sessionId),
    keys.map(({ index }) => index),
  )
  const sought = { text: `${bind(request.text)}::text`, pattern: bind(toLikePattern(request.text)) }
  const hasError = request.scope === 'everything' && schema.events.columns.has('last_error')
  return {
    sql: `with at as materialized (
        select ${NOW_SQL} as now, ${markerTypeSql(schema)} as marker_type)
      select one.*, at.*, c.clear_index, k.session_id
      from unnest($1::text[], $2::bigint[]) with ordinality as k(session_id, idx, n) cross join at
      cross join lateral (select ${clearSql(schema, 'k.session_id')} as clear_index) c
      cross join lateral (select ${E_STATE_SQL}, e.event_id, e.created_at, e.lane,
          payload.at as payload_at, payload.piece as payload_piece,
          error.at as error_at, error.piece as error_piece
        from ${schema.events.sql} e
        cross join lateral ${pieceSql('e.payload', request, sought)} payload
        cross join lateral ${hasError ? pieceSql('e.last_error', request, sought) : NO_PIECE} error
        where e.session_id = k.session_id and e.idx = k.idx limit 1) one
      order by k.n`,
    params,
    read: (rows) => asRows<StoredHit>(rows).map((row) => toHit(row, request, scope)),
  }
}

const NO_PIECE = '(select null::int as at, null::text as piece)'

/** The part of a text around the first match; null when it is not in there. The offsets keep it from being made once for each use. */
function pieceSql(
  column: string,
  request: SearchRequest,
  { text, pattern }: { readonly text: string; readonly pattern: string },
): string {
  const found = request.matchCase
    ? `strpos(t.text, ${text})`
    : `strpos(lower(${comparable('t.text')}), lower(${comparable(text)}))`
  return `(select a.at, substr(t.text, greatest(1, a.at - ${PIECE.before}), ${PIECE.length}) as piece
    from (select ${column}::text as text offset 0) t cross join lateral (
      select case when ${textConditionSql('t.text', request, pattern)}
        then greatest(1, ${found}) end as at offset 0) a)`
}

function toHit(row: StoredHit, request: SearchRequest, scope: PostgresScope): SearchHit {
  const texts = {
    payload: toText(row.payload_at, row.payload_piece),
    error: toText(row.error_at, row.error_piece),
  }
  return toSearchHit(
    { sessionId: row.session_id, row, judge: toJudge(row, scope), texts },
    { request, matcher: makeMatcher(request, 'unicode') },
  )
}

function toText(at: Stored, piece: string | null): SearchedText | null {
  return at === null || piece === null ? null : toPiece(piece, toCount(at))
}
