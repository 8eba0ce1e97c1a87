import type { NewEvent } from '../../model/live.ts'
import type { Scope } from '../handle.ts'
import { toListName } from '../list-names.ts'
import { type Stored, toCount, toText } from '../sqlite-values.ts'
import { readClearIndex } from './judge.ts'

/** How far the table has been followed: the newest row known, remembered by its identity. */
export interface RowPosition {
  readonly rowid: number
  /** null: the table was empty. */
  readonly event: { readonly sessionId: string; readonly index: number; readonly id: string } | null
}

interface PositionColumns {
  readonly n: number
  readonly session_id: Stored
  readonly idx: Stored
  readonly event_id: Stored
}

function toPosition(row: PositionColumns | undefined): RowPosition {
  if (row === undefined) return { rowid: 0, event: null }
  return {
    rowid: row.n,
    event: {
      sessionId: toText(row.session_id),
      index: toCount(row.idx),
      id: toText(row.event_id),
    },
  }
}

const columns = (rowid: string): string => `${rowid} as n, session_id, idx, event_id`

/** The newest row. For tables with rowids. */
export function readTip({ handle, schema }: Scope): RowPosition {
  const rowid = schema.events.rowid ?? ''
  return toPosition(
    handle.get<PositionColumns>(
      `select ${columns(rowid)} from a2_events order by ${rowid} desc limit 1`,
    ),
  )
}

/**
 * Where a remembered row is now: at the same place, or at another one after a VACUUM. `lost`: the table
 * went back, as after restoring a copy in place. A reclaimed row is not lost: its place stays.
 */
export function findPosition(scope: Scope, known: RowPosition): RowPosition | 'lost' {
  const { handle, schema } = scope
  if (known.event === null) return known
  const rowid = schema.events.rowid ?? ''
  const { sessionId, index, id } = known.event
  const here = handle.get<PositionColumns>(
    `select ${columns(rowid)} from a2_events where session_id = ? and idx = ?`,
    [sessionId, index],
  )
  if (here !== undefined) return toText(here.event_id) === id ? toPosition(here) : 'lost'
  const isCleared = index < readClearIndex(scope, sessionId)
  return isCleared && readTip(scope).rowid > known.rowid ? known : 'lost'
}

export interface FollowStep {
  readonly events: readonly NewEvent[]
  readonly position: RowPosition
  readonly isMore: boolean
}

/** Events after a position in commit order. */
export function follow(scope: Scope, known: RowPosition, limit: number): FollowStep | 'lost' {
  const after = findPosition(scope, known)
  if (after === 'lost') return 'lost'
  const rowid = scope.schema.events.rowid ?? ''
  const rows = scope.handle.all<PositionColumns & { event_type: Stored }>(
    `select ${columns(rowid)}, event_type from a2_events
     where ${rowid} > ? order by ${rowid} limit ?`,
    [after.rowid, limit],
  )
  return {
    events: rows.map((row) => ({
      sessionId: toText(row.session_id),
      index: toCount(row.idx),
      type: toListName(toText(row.event_type)),
    })),
    position: rows.length === 0 ? after : toPosition(rows.at(-1)),
    isMore: rows.length === limit,
  }
}

/** Sessions with rows in (after, …], distinct, of the next `limit` rows. */
export function readTouchedSessions(
  { handle, schema }: Scope,
  afterRowid: number,
  limit: number,
): { ids: string[]; throughRowid: number; isMore: boolean } {
  const rowid = schema.events.rowid ?? ''
  const rows = handle.all<{ n: number; session_id: Stored }>(
    `select ${rowid} as n, session_id from a2_events where ${rowid} > ? order by ${rowid} limit ?`,
    [afterRowid, limit],
  )
  const ids = new Set<string>()
  for (const row of rows) if (typeof row.session_id === 'string') ids.add(row.session_id)
  return {
    ids: [...ids],
    throughRowid: rows.at(-1)?.n ?? afterRowid,
    isMore: rows.length === limit,
  }
}
