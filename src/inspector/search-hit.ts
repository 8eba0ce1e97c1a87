import type { SearchHit, SearchRequest } from '../model/search.ts'
import { toListName } from './list-names.ts'
import { type Judge, type StateColumns, toEventRef } from './queries/event-columns.ts'
import { findSnippet, type SearchedText, startSnippet } from './search-text.ts'
import { type Stored, toText, toTextOrNull, toTime } from './sqlite-values.ts'

/** To look into a longer text, the database does it: only the piece around the match is handed over. */
export const WHOLE_BYTES = 1_048_576
/** Characters of that piece, and how many of them before the match. */
export const PIECE = { length: 480, before: 80 }

export interface HitColumns extends StateColumns {
  readonly event_id: Stored
  readonly created_at: Stored
  readonly lane: Stored
}

/** What was looked into; null where the text is not, or nothing is stored. */
export interface LongTexts {
  readonly payload: SearchedText | null
  readonly error: SearchedText | null
}

export interface FoundTexts {
  readonly sessionId: string
  readonly row: HitColumns
  readonly judge: Judge
  readonly texts: LongTexts
}

interface Sought {
  readonly request: SearchRequest
  readonly matcher: RegExp
}

export function toSearchHit(found: FoundTexts, sought: Sought): SearchHit {
  const { sessionId, row } = found
  const { index, type, state } = toEventRef(row, found.judge)
  const lane = toTextOrNull(row.lane)
  return {
    sessionId,
    index,
    type,
    state,
    lane: lane === null ? null : toListName(lane),
    createdAt: toTime(row.created_at),
    ...snippetOf(found, sought),
  }
}

/** A piece that was cut out around the character `at`, counted from 1. */
export function toPiece(piece: string, at: number): SearchedText {
  return {
    text: piece,
    isStart: at - PIECE.before <= 1,
    isEnd: Array.from(piece).length < PIECE.length,
  }
}

/** The first place in which the text is found, in the order in which people look. */
function snippetOf(found: FoundTexts, { request, matcher }: Sought): Located {
  const fields = fieldsOf(found, request)
  for (const [field, searched] of fields) {
    const snippet = findSnippet(searched, matcher)
    if (snippet !== null) return { field, snippet }
  }
  // The database compares some letters in its own way: it is there, but cannot be pointed at.
  const [field, searched] = fields[0] ?? ['payload', NOTHING]
  return { field, snippet: startSnippet(searched, matcher) }
}

type Located = Pick<SearchHit, 'field' | 'snippet'>

const NOTHING: SearchedText = { text: '', isStart: true, isEnd: true }

function fieldsOf(
  { sessionId, row, texts }: FoundTexts,
  { scope }: SearchRequest,
): (readonly [SearchHit['field'], SearchedText])[] {
  const fields: readonly (readonly [SearchHit['field'], SearchedText | null])[] =
    scope === 'payload'
      ? [['payload', texts.payload]]
      : [
          ['payload', texts.payload],
          ['error', texts.error],
          ['type', whole(row.event_type)],
          ['id', whole(row.event_id)],
          ['lane', whole(row.lane)],
          ['session', whole(sessionId)],
        ]
  return fields.flatMap(([field, searched]) => (searched === null ? [] : [[field, searched]]))
}

function whole(value: Stored): SearchedText | null {
  return value === null ? null : { text: toText(value), isStart: true, isEnd: true }
}
