import type { BoundedCount, SessionSummary } from '../../model/session.ts'
import type { Scope } from '../handle.ts'
import { type Stored, toClearIndex, toCount, toText, toTime } from '../sqlite-values.ts'
import { readMarkerType } from './judge.ts'

/** What the list of all sessions keeps of each. */
export interface ListedSession {
  readonly id: string
  readonly head: number
  readonly clearIndex: number
  readonly lastActivityAt: number | null
}

/** Where a page of sessions ended. SQLite: the id's stored bytes, since not every id survives decoding there. */
export type SessionCursor = Buffer | string

export interface SessionPage {
  readonly sessions: readonly ListedSession[]
  /** null at the end. */
  readonly next: SessionCursor | null
}

export interface ListedColumns {
  readonly id: string
  readonly head: Stored
  readonly clear_index: Stored
  readonly last_at: Stored
}

const HEAD_SQL = '(select max(idx) from a2_events e where e.session_id = s.id)'
const LAST_AT_SQL =
  '(select created_at from a2_events e where e.session_id = s.id order by idx desc limit 1)'

function clearSql({ schema }: Scope): string {
  if (schema.clears === null) return '0'
  return '(select clear_index from a2_clears c where c.session_id = s.id)'
}

/** Head and last activity of every session: with rowids one step of the key finds the row that has both. */
function newestSql({ schema }: Scope): { head: string; lastAt: string; join: string } {
  const { rowidName: rowid } = schema.events
  if (rowid === null) return { head: HEAD_SQL, lastAt: LAST_AT_SQL, join: '' }
  return {
    head: 'h.idx',
    lastAt: 'h.created_at',
    join: `left join a2_events h not indexed on h.${rowid} =
      (select e.${rowid} from a2_events e where e.session_id = s.id order by e.idx desc limit 1)`,
  }
}

export function toListed(row: ListedColumns): ListedSession {
  return {
    id: row.id,
    head: toCount(row.head),
    clearIndex: toClearIndex(row.clear_index),
    lastActivityAt: toTime(row.last_at),
  }
}

/**
 * A page of all sessions in the database's order: one index step a session, whatever their number of
 * events. Numbers come before every text and blobs after it; they are no session ids.
 */
export function readSessionPage(
  scope: Scope,
  after: SessionCursor | null,
  limit: number,
): SessionPage {
  const above = after === null ? "and session_id >= ''" : 'and session_id > cast(? as text)'
  const newest = newestSql(scope)
  const rows = scope.handle.lists(
    `with recursive s(id, n) as (
       select (select min(session_id) from a2_events where session_id < x'' ${above}), 1
       union all
       select (select min(e.session_id) from a2_events e
               where e.session_id > s.id and e.session_id < x''), n + 1
       from s where s.id is not null and n < ?)
     select id, case when n = ? then cast(id as blob) end, ${newest.head}, ${clearSql(scope)},
       ${newest.lastAt}
     from s ${newest.join} where id is not null order by n`,
    after === null ? [limit, limit] : [after, limit, limit],
  )
  const next = rows.length < limit ? null : rows.at(-1)?.[1]
  return {
    sessions: rows.map(([id, , head = null, clear_index = null, last_at = null]) =>
      toListed({ id: String(id), head, clear_index, last_at }),
    ),
    next: Buffer.isBuffer(next) ? next : null,
  }
}

/** Listed values of these sessions; ids without events are left out. */
export function readListed(scope: Scope, ids: readonly string[]): ListedSession[] {
  return scope.handle
    .all<ListedColumns>(
      `select id, ${HEAD_SQL} as head, ${clearSql(scope)} as clear_index, ${LAST_AT_SQL} as last_at
       from (select value as id, key as n from json_each(?)) s order by n`,
      [JSON.stringify(ids)],
    )
    .filter((row) => row.head !== null)
    .map(toListed)
}

/** The id that comes right before each of these in the database's order; null for the first of all. */
export function readPredecessors({ handle }: Scope, ids: readonly string[]): (string | null)[] {
  return handle
    .all<{ before: string | null }>(
      `select (select max(e.session_id) from a2_events e where e.session_id < s.id and e.session_id >= '') as before
       from (select value as id, key as n from json_each(?)) s order by n`,
      [JSON.stringify(ids)],
    )
    .map(({ before }) => before)
}

const WALK_ROWS = 500

/** Sessions of the newest rows, most recent first, found in at most `maxRows` rows. Empty without rowids. */
export function readRecentSessions(
  { handle, schema }: Scope,
  { maxRows, maxSessions }: { maxRows: number; maxSessions: number },
): string[] {
  const { rowid } = schema.events
  const found = new Set<string>()
  if (rowid === null) return []
  let below: number | null = null
  for (let seen = 0; seen < maxRows && found.size < maxSessions; seen += WALK_ROWS) {
    const rows: { id: Stored; n: number }[] = handle.all(
      `select session_id as id, ${rowid} as n from a2_events
       where ${rowid} < ? order by ${rowid} desc limit ${WALK_ROWS}`,
      [below ?? Number.MAX_SAFE_INTEGER],
    )
    for (const { id } of rows) if (typeof id === 'string') found.add(id)
    below = rows.at(-1)?.n ?? null
    if (rows.length < WALK_ROWS) break
  }
  return [...found].slice(0, maxSessions)
}

/** Rows below the marker looked at for a list row. */
export const BELOW_MARKER_ROWS = 100
export const RECLAIM_BOUND = 1000

/** Summaries without work, in the order asked for; null for an id without events. */
export function readSummaries(
  scope: Scope,
  ids: readonly string[],
): (Omit<SessionSummary, 'work'> | null)[] {
  const markerType = readMarkerType(scope).type
  return scope.handle
    .all<ListedColumns & { first_index: Stored; first_at: Stored }>(
      `select id, ${HEAD_SQL} as head, ${clearSql(scope)} as clear_index, ${LAST_AT_SQL} as last_at,
         (select min(idx) from a2_events e where e.session_id = s.id) as first_index,
         (select created_at from a2_events e where e.session_id = s.id order by idx limit 1) as first_at
       from (select value as id, key as n from json_each(?)) s order by n`,
      [JSON.stringify(ids)],
    )
    .map((row) => {
      if (row.head === null) return null
      const listed = toListed(row)
      const firstIndex = toCount(row.first_index)
      return {
        ...listed,
        firstIndex,
        live: Math.max(0, listed.head - listed.clearIndex),
        firstActivityAt: toTime(row.first_at),
        ...readPast(scope, { ...listed, firstIndex, markerType }),
      }
    })
}

function readPast(
  scope: Scope,
  session: { id: string; clearIndex: number; firstIndex: number; markerType: string },
): PastCounts {
  const { clearIndex, firstIndex } = session
  if (firstIndex >= clearIndex) return toPastCounts({ ...session, looked: 0, markers: 0 })
  const newest = scope.handle.all<{ event_type: Stored }>(
    `select event_type from a2_events where session_id = ? and idx < ?
     order by idx desc limit ${BELOW_MARKER_ROWS + 1}`,
    [session.id, clearIndex],
  )
  const looked = newest.length
  return toPastCounts({
    ...session,
    looked,
    markers: newest.filter(({ event_type }) => toText(event_type) === session.markerType).length,
    ...(looked > BELOW_MARKER_ROWS
      ? { toReclaim: countToReclaim(scope, session.id, clearIndex) }
      : {}),
  })
}

export interface PastCounts {
  readonly toReclaim: BoundedCount
  readonly lifetimes: BoundedCount
}

/**
 * `looked`: how many of the newest rows below the marker were looked at, one more than
 * `BELOW_MARKER_ROWS` at most; then `toReclaim` is given.
 */
export function toPastCounts(session: {
  readonly clearIndex: number
  readonly firstIndex: number
  readonly looked: number
  readonly markers: number
  readonly toReclaim?: BoundedCount
}): PastCounts {
  const { clearIndex, firstIndex, looked, markers } = session
  if (clearIndex === 0) return { toReclaim: exactly(0), lifetimes: exactly(1) }
  if (firstIndex >= clearIndex) {
    // Index 1 can hold no marker; any other index that is gone may have.
    return { toReclaim: exactly(0), lifetimes: { count: 2, isLowerBound: clearIndex > 2 } }
  }
  const toReclaim = session.toReclaim ?? exactly(looked)
  const isAllStored = !toReclaim.isLowerBound && toReclaim.count === clearIndex - 1
  return {
    toReclaim,
    lifetimes: {
      count: markers + 2,
      isLowerBound: looked > BELOW_MARKER_ROWS || !isAllStored,
    },
  }
}

/** Cleared events still stored, counted up to a bound in the primary key alone. */
export function countToReclaim(
  { handle }: Scope,
  sessionId: string,
  clearIndex: number,
  bound = RECLAIM_BOUND,
): BoundedCount {
  const count =
    handle.get<{ n: number }>(
      `select count(*) as n from (select 1 from a2_events where session_id = ? and idx < ? limit ?)`,
      [sessionId, clearIndex, bound + 1],
    )?.n ?? 0
  return toBoundedCount(count, bound)
}

/** `found`: counted up to one more than the bound. */
export function toBoundedCount(found: number, bound: number): BoundedCount {
  return { count: Math.min(found, bound), isLowerBound: found > bound }
}

function exactly(count: number): BoundedCount {
  return { count, isLowerBound: false }
}

/** Whether the session has events, and the ids that begin with `text`, at most `limit`. */
export function readIdsByPrefix({ handle }: Scope, text: string, limit: number): string[] {
  return handle
    .all<{ id: string | null }>(
      `with recursive s(id, n) as (
         select (select min(session_id) from a2_events where session_id >= ? and session_id < x''), 1
         union all
         select (select min(e.session_id) from a2_events e
                 where e.session_id > s.id and e.session_id < x''), n + 1
         from s where s.id is not null and n < ?)
       select id from s where id is not null order by n`,
      [text, limit],
    )
    .flatMap(({ id }) => (id?.startsWith(text) === true ? [id] : []))
}
