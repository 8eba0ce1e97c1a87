import type { SearchPlace, SearchRequest } from '../../model/search.ts'
import type { Scope } from '../handle.ts'
import type { Stored } from '../sqlite-values.ts'
import type { EventKey } from './event.ts'
import { findRowidThrough, readMaxRowid } from './facts.ts'
import { conditionOf } from './search-condition.ts'

/** An event in which the text was found. */
export interface FoundEvent extends EventKey {
  /** Size of its payload; where a database compresses it, of what it takes in the table. */
  readonly bytes: number
}

export interface SearchSlice {
  readonly found: readonly FoundEvent[]
  /** null at the end. */
  readonly next: SearchPlace | null
}

/** How far one slice goes: rows, indexes or blocks; it ends early at `limit` found events. */
export interface SliceBounds {
  readonly size: number
  readonly limit: number
}

interface FoundColumns {
  readonly n: number
  readonly session_id: Stored
  readonly idx: number
  readonly bytes: number | null
}

/** The newest row, or the head of the one session asked for; null when there is nothing to search. */
export function readSearchStart(
  scope: Scope,
  { sessionId, text }: SearchRequest,
): SearchPlace | null {
  // A pattern would end there.
  if (text.includes('\0')) return null
  if (sessionId !== null) {
    const row = scope.handle.get<{ first: number | null; head: number | null }>(
      `select (select min(idx) from a2_events where session_id = ?) as first,
        (select max(idx) from a2_events where session_id = ?) as head`,
      [sessionId, sessionId],
    )
    if (typeof row?.first !== 'number' || typeof row.head !== 'number') return null
    return { by: 'index', first: row.first, head: row.head, through: row.head }
  }
  if (scope.schema.events.rowid === null) return { by: 'key', after: null, looked: 0 }
  const newest = readMaxRowid(scope) ?? 0
  return newest > 0 ? { by: 'rowid', newest, through: newest } : null
}

/** The next slice from a place on: newest first, but for tables without rowids. */
export function readSearchSlice(
  scope: Scope,
  request: SearchRequest,
  place: SearchPlace,
  bounds: SliceBounds,
): SearchSlice {
  if (place.by === 'rowid') return sliceByRowid(scope, request, place, bounds)
  if (place.by === 'index') return sliceByIndex(scope, request, place, bounds)
  if (place.by === 'key') return sliceByKey(scope, request, place, bounds)
  throw new Error('a file has no blocks that could be searched')
}

/** `not indexed` keeps the planner in the table's own order. */
function sliceByRowid(
  scope: Scope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'rowid' }>,
  { size, limit }: SliceBounds,
): SearchSlice {
  const { rowid } = scope.schema.events
  const above = Math.max(0, place.through - size)
  const { sql, params } = conditionOf(scope, request)
  const rows = scope.handle.all<FoundColumns>(
    `select ${rowid} as n, session_id, idx, octet_length(payload) as bytes from a2_events not indexed
     where ${rowid} > ? and ${rowid} <= ? and ${sql} order by ${rowid} desc limit ?`,
    [above, place.through, ...params, limit],
  )
  const through = rows.length === limit ? (rows.at(-1)?.n ?? 0) - 1 : above
  const next = findRowidThrough(scope, through)
  return { found: toFound(rows), next: next === null ? null : { ...place, through: next } }
}

function sliceByIndex(
  scope: Scope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'index' }>,
  { size, limit }: SliceBounds,
): SearchSlice {
  const { sessionId } = request
  const above = place.through - size
  const { sql, params } = conditionOf(scope, request)
  const rows = scope.handle.all<FoundColumns>(
    `select idx as n, session_id, idx, octet_length(payload) as bytes from a2_events
     where session_id = ? and idx > ? and idx <= ? and ${sql} order by idx desc limit ?`,
    [sessionId, above, place.through, ...params, limit],
  )
  const through = rows.length === limit ? (rows.at(-1)?.n ?? 0) - 1 : above
  const next = scope.handle.get<{ n: number | null }>(
    'select max(idx) as n from a2_events where session_id = ? and idx <= ?',
    [sessionId, through],
  )?.n
  return {
    found: toFound(rows),
    next: typeof next === 'number' ? { ...place, through: next } : null,
  }
}

/** Numbers come before every text and blobs after it; they are no session ids. */
function sliceByKey(
  scope: Scope,
  request: SearchRequest,
  place: Extract<SearchPlace, { by: 'key' }>,
  { size, limit }: SliceBounds,
): SearchSlice {
  const { after } = place
  const from = after === null ? "session_id >= ''" : '(session_id, idx) > (cast(? as text), ?)'
  const { sql, params } = conditionOf(scope, request)
  // Ids need not survive decoding: the next slice begins at the stored bytes.
  const rows = scope.handle.all<FoundColumns & { id_bytes: Buffer; is_match: number | null }>(
    `select 0 as n, session_id, idx, octet_length(payload) as bytes, cast(session_id as blob) as id_bytes,
       ${sql} as is_match from a2_events
     where ${from} and session_id < x'' order by session_id, idx limit ?`,
    [
      ...params,
      ...(after === null ? [] : [Buffer.from(after.session, 'base64'), after.index]),
      size,
    ],
  )
  const matches = rows.filter(({ is_match }) => is_match === 1)
  const cut = matches.length > limit ? matches[limit - 1] : undefined
  const last = cut ?? (rows.length < size ? undefined : rows.at(-1))
  const looked = place.looked + (cut === undefined ? rows.length : rows.indexOf(cut) + 1)
  return {
    found: toFound(matches.slice(0, limit)),
    next:
      last === undefined
        ? null
        : {
            by: 'key',
            after: { session: last.id_bytes.toString('base64'), index: last.idx },
            looked,
          },
  }
}

function toFound(rows: readonly FoundColumns[]): FoundEvent[] {
  const found: FoundEvent[] = []
  for (const { session_id: sessionId, idx: index, bytes } of rows) {
    if (typeof sessionId === 'string') found.push({ sessionId, index, bytes: bytes ?? 0 })
  }
  return found
}
