import type { SearchHit, SearchRequest } from '../../model/search.ts'
import type { Scope } from '../handle.ts'
import {
  type HitColumns,
  type LongTexts,
  PIECE,
  toPiece,
  toSearchHit,
  WHOLE_BYTES,
} from '../search-hit.ts'
import { makeMatcher, type SearchedText } from '../search-text.ts'
import { decode } from '../sqlite-values.ts'
import type { EventKey } from './event.ts'
import { type Judge, STATE_SQL } from './event-columns.ts'
import { readJudge } from './judge.ts'
import { textConditionSql, toPattern } from './search-condition.ts'

interface StoredHit extends HitColumns {
  readonly payload: Buffer | null
  readonly bytes: number | null
  readonly error: Buffer | null
}

/** What a list shows of found events, in the order of the keys; those that are gone by now are left out. */
export function readSearchHits(
  scope: Scope,
  request: SearchRequest,
  keys: readonly EventKey[],
): SearchHit[] {
  const matcher = makeMatcher(request, 'ascii')
  const judges = new Map<string, Judge>()
  return keys.flatMap((key) => {
    const row = findStored(scope, request, key)
    if (row === undefined) return []
    const judge = judges.get(key.sessionId) ?? readJudge(scope, key.sessionId)
    judges.set(key.sessionId, judge)
    const texts = readTexts(scope, request, { key, row })
    return [toSearchHit({ sessionId: key.sessionId, row, judge, texts }, { request, matcher })]
  })
}

function findStored(
  { handle, schema }: Scope,
  request: SearchRequest,
  key: EventKey,
): StoredHit | undefined {
  const hasError = request.scope === 'everything' && schema.events.columns.has('last_error')
  return handle.get<StoredHit>(
    `select ${STATE_SQL}, event_id, created_at, lane, octet_length(payload) as bytes,
       case when octet_length(payload) <= ${WHOLE_BYTES} then cast(payload as blob) end as payload,
       ${hasError ? `substr(cast(last_error as blob), 1, ${WHOLE_BYTES})` : 'null'} as error
     from a2_events where session_id = ? and idx = ?`,
    [key.sessionId, key.index],
  )
}

function readTexts(
  scope: Scope,
  request: SearchRequest,
  { key, row }: { readonly key: EventKey; readonly row: StoredHit },
): LongTexts {
  const whole = (bytes: Buffer | null): SearchedText | null =>
    bytes === null
      ? null
      : { text: decode(bytes, scope.schema.encoding), isStart: true, isEnd: true }
  const isLong = (row.bytes ?? 0) > WHOLE_BYTES
  return {
    payload: isLong ? findPiece(scope, request, key) : whole(row.payload),
    error: whole(row.error),
  }
}

/** The part of a long payload around the match; null when it is not in there. */
function findPiece(scope: Scope, request: SearchRequest, key: EventKey): SearchedText | null {
  const [text, sought] = request.matchCase
    ? ['cast(payload as text)', '?']
    : ['lower(cast(payload as text))', 'lower(?)']
  const isFound = request.text === '' ? 'true' : textConditionSql('payload', request)
  const found = scope.handle.get<{ at: number; piece: string | null }>(
    `select at, substr(cast(payload as text), max(1, at - ${PIECE.before}), ${PIECE.length}) as piece
     from (select payload, instr(${text}, ${sought}) as at from a2_events
       where session_id = ? and idx = ? and ${isFound})`,
    [request.text, key.sessionId, key.index, ...(request.text === '' ? [] : [toPattern(request)])],
  )
  return found === undefined || found.piece === null ? null : toPiece(found.piece, found.at)
}
