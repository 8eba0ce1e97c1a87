import type { Scope } from '../handle.ts'
import {
  type Stored,
  toClearIndex,
  toCount,
  toFlag,
  toTextOrNull,
  toTime,
} from '../sqlite-values.ts'

/** One unfinished event, with what its state and its lane follow from. */
export interface UnfinishedRow {
  readonly sessionId: string
  readonly index: number
  /** null without rowids. */
  readonly rowid: number | null
  readonly lane: string | null
  readonly laneReady: boolean
  readonly failedAt: number | null
  readonly failureCount: number
  readonly claimExpiresAt: number | null
}

export interface UnfinishedColumns {
  readonly n: number | null
  readonly session_id: Stored
  readonly idx: Stored
  readonly lane: Stored
  readonly lane_ready: Stored
  readonly failed_at: Stored
  readonly failure_count: Stored
  readonly claim_expires_at: Stored
}

function columnsSql({ schema }: Scope): string {
  const { rowid } = schema.events
  const n = rowid === null ? 'null' : `a2_events.${rowid}`
  return `${n} as n, session_id, idx, lane, processed_at, ${CHANGING_SQL}`
}

/** What can change while an event stays unfinished. */
const CHANGING_SQL = 'lane_ready, failed_at, failure_count, claim_expires_at'

export function toUnfinishedRows(rows: readonly UnfinishedColumns[]): UnfinishedRow[] {
  const found: UnfinishedRow[] = []
  for (const row of rows) {
    if (typeof row.session_id !== 'string') continue
    found.push({
      sessionId: row.session_id,
      index: toCount(row.idx),
      rowid: row.n,
      lane: toTextOrNull(row.lane),
      laneReady: toFlag(row.lane_ready),
      failedAt: toTime(row.failed_at),
      failureCount: toCount(row.failure_count),
      claimExpiresAt: toTime(row.claim_expires_at),
    })
  }
  return found
}

/**
 * Unfinished rows with above < rowid ≤ through, newest first. NULL-ness is answered from the record
 * header, so payloads are not read; `not indexed` keeps the planner in the table's own order.
 */
export function readUnfinishedRange(
  scope: Scope,
  { above, through }: { above: number; through: number },
): UnfinishedRow[] {
  const { rowid } = scope.schema.events
  return toUnfinishedRows(
    scope.handle.all<UnfinishedColumns>(
      `select ${columnsSql(scope)} from a2_events not indexed
       where ${rowid} > ? and ${rowid} <= ? and processed_at is null order by ${rowid} desc`,
      [above, through],
    ),
  )
}

/** What of an unfinished event can change. */
export interface ChangingColumns {
  readonly idx: Stored
  readonly lane_ready: Stored
  readonly failed_at: Stored
  readonly failure_count: Stored
  readonly claim_expires_at: Stored
}

/** Each row as it is now, the very same object when nothing changed; null when it is finished or gone. */
export function readUnfinishedAgain(
  scope: Scope,
  rows: readonly UnfinishedRow[],
): (UnfinishedRow | null)[] {
  const { rowid } = scope.schema.events
  const from =
    rowid === null
      ? `json_each(?) j cross join a2_events on session_id = j.value ->> 0 and idx = j.value ->> 1`
      : `json_each(?) j cross join a2_events not indexed on a2_events.${rowid} = j.value`
  // In the table's own order neighbours share pages.
  const asked = [...rows.entries()].toSorted(([, a], [, b]) => (a.rowid ?? 0) - (b.rowid ?? 0))
  const keys = asked.map(([, row]) => (rowid === null ? [row.sessionId, row.index] : row.rowid))
  const stored = scope.handle.all<ChangingColumns & { k: number }>(
    `select j.key as k, idx, ${CHANGING_SQL} from ${from} where processed_at is null`,
    [JSON.stringify(keys)],
  )
  const again: (UnfinishedRow | null)[] = rows.map(() => null)
  for (const now of stored) {
    const [place, known] = asked[now.k] ?? []
    if (place !== undefined && known?.index === now.idx) again[place] = renewed(known, now)
  }
  return again
}

/** The very same object when nothing changed. */
export function renewed(known: UnfinishedRow, now: ChangingColumns): UnfinishedRow {
  const laneReady = toFlag(now.lane_ready)
  const failedAt = toTime(now.failed_at)
  const failureCount = toCount(now.failure_count)
  const claimExpiresAt = toTime(now.claim_expires_at)
  const isSame =
    known.laneReady === laneReady &&
    known.failedAt === failedAt &&
    known.failureCount === failureCount &&
    known.claimExpiresAt === claimExpiresAt
  return isSame ? known : { ...known, laneReady, failedAt, failureCount, claimExpiresAt }
}

export interface WorkKey {
  readonly sessionId: string
  readonly index: number
}

export interface KeyedStep {
  readonly rows: readonly UnfinishedRow[]
  /** null at the end. */
  readonly next: WorkKey | null
}

const AFTER = '(session_id, idx) > (?, ?)'

/** Unfinished rows in key order through the partial index on them. */
export function readUnfinishedByIndex(
  scope: Scope,
  after: WorkKey | null,
  limit: number,
): KeyedStep {
  const rows = toUnfinishedRows(
    scope.handle.all<UnfinishedColumns>(
      `select ${columnsSql(scope)} from a2_events
       where processed_at is null ${after === null ? '' : `and ${AFTER}`}
       order by session_id, idx limit ?`,
      after === null ? [limit] : [after.sessionId, after.index, limit],
    ),
  )
  return { rows, next: rows.length < limit ? null : (rows.at(-1) ?? null) }
}

/** The same for a table without rowids and without such an index: looks at `limit` rows of any kind. */
export function readUnfinishedByKey(scope: Scope, after: WorkKey | null, limit: number): KeyedStep {
  const where = after === null ? '' : `where ${AFTER}`
  const params = after === null ? [limit] : [after.sessionId, after.index, limit]
  const looked = scope.handle.all<{ session_id: Stored; idx: number }>(
    `select session_id, idx from a2_events ${where} order by session_id, idx limit ?`,
    params,
  )
  const rows = toUnfinishedRows(
    scope.handle.all<UnfinishedColumns>(
      `select * from (select ${columnsSql(scope)} from a2_events ${where}
         order by session_id, idx limit ?) where processed_at is null`,
      params,
    ),
  )
  const last = looked.at(-1)
  if (looked.length < limit || typeof last?.session_id !== 'string') return { rows, next: null }
  return { rows, next: { sessionId: last.session_id, index: last.idx } }
}

/** One session's unfinished live events with from ≤ index, in key order, of the next `limit` rows of any kind. */
export function readSessionUnfinished(
  scope: Scope,
  { sessionId, from }: { sessionId: string; from: number },
  limit: number,
): { rows: UnfinishedRow[]; next: number | null } {
  if (scope.schema.hasWorkIndex) {
    const rows = toUnfinishedRows(
      scope.handle.all<UnfinishedColumns>(
        `select ${columnsSql(scope)} from a2_events
         where session_id = ? and idx >= ? and processed_at is null order by idx limit ?`,
        [sessionId, from, limit],
      ),
    )
    return { rows, next: rows.length < limit ? null : (rows.at(-1)?.index ?? 0) + 1 }
  }
  const where = 'where session_id = ? and idx >= ? order by idx limit ?'
  const params = [sessionId, from, limit]
  const looked = scope.handle.get<{ n: number; last: number | null }>(
    `select count(*) as n, max(idx) as last from (select idx from a2_events ${where})`,
    params,
  )
  const rows = scope.handle.all<UnfinishedColumns>(
    `select * from (select ${columnsSql(scope)} from a2_events ${where})
     where processed_at is null`,
    params,
  )
  const isEnd = looked === undefined || looked.last === null || looked.n < limit
  return { rows: toUnfinishedRows(rows), next: isEnd ? null : (looked.last ?? 0) + 1 }
}

/** Clear indexes of those sessions that have one. */
export function readClearIndexes(
  { handle, schema }: Scope,
  ids: readonly string[],
): Map<string, number> {
  if (schema.clears === null || ids.length === 0) return new Map()
  const rows = handle.all<{ session_id: string; clear_index: Stored }>(
    `select session_id, clear_index from json_each(?) j
     cross join a2_clears on session_id = j.value`,
    [JSON.stringify(ids)],
  )
  return new Map(rows.map((row) => [row.session_id, toClearIndex(row.clear_index)]))
}
