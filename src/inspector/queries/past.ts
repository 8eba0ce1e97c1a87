import type { IndexRange } from '../../model/lifetime.ts'
import type { Scope } from '../handle.ts'
import { type Stored, toTime } from '../sqlite-values.ts'

/** Width of one look at stored indexes: a full window is known by its count alone. */
const WINDOW = 4096

export interface GoneStep {
  readonly gone: readonly IndexRange[]
  /** Where to continue; null when `through` was reached. */
  readonly next: number | null
}

/** The indexes missing in [from, through], as far as one short look gets. Reads the primary key alone. */
export function readGone(
  { handle }: Scope,
  { sessionId, from, through }: { sessionId: string; from: number; through: number },
): GoneStep {
  const first =
    handle.get<{ idx: number | null }>(
      'select min(idx) as idx from a2_events where session_id = ? and idx >= ? and idx <= ?',
      [sessionId, from, through],
    )?.idx ?? null
  if (first === null) return { gone: [{ from, to: through }], next: null }
  const gone: IndexRange[] = first > from ? [{ from, to: first - 1 }] : []
  const to = Math.min(through, first + WINDOW - 1)
  const where = 'from a2_events where session_id = ? and idx >= ? and idx <= ?'
  const params = [sessionId, first, to]
  const stored = handle.get<{ n: number }>(`select count(*) as n ${where}`, params)?.n ?? 0
  if (stored < to - first + 1) {
    let expected = first
    for (const { idx } of handle.all<{ idx: number }>(`select idx ${where} order by idx`, params)) {
      if (idx > expected) gone.push({ from: expected, to: idx - 1 })
      expected = idx + 1
    }
    if (expected <= to) gone.push({ from: expected, to })
  }
  return { gone, next: to < through ? to + 1 : null }
}

export interface StoredMarker {
  readonly index: number
  readonly createdAt: number | null
}

const MARKER_ROWS = 2000

export interface MarkerRequest {
  readonly sessionId: string
  readonly from: number
  readonly through: number
  readonly markerType: string
  /** The event there is a marker whatever its type. */
  readonly clearIndex: number
}

/** Markers with from ≤ index ≤ through, descending, as far as one short look gets. */
export function readMarkers(
  { handle }: Scope,
  wanted: MarkerRequest,
): { markers: StoredMarker[]; scannedFrom: number } {
  const rows = handle.all<{ idx: number; is_marker: number }>(
    `select idx, event_type = ? or idx = ? as is_marker from a2_events
     where session_id = ? and idx >= ? and idx <= ? order by idx desc limit ${MARKER_ROWS}`,
    [wanted.markerType, wanted.clearIndex, wanted.sessionId, wanted.from, wanted.through],
  )
  const markers = rows
    .filter(({ is_marker }) => is_marker === 1)
    .map(({ idx }) => findMarker(handle, wanted.sessionId, idx))
  const isEnd = rows.length < MARKER_ROWS
  return { markers, scannedFrom: isEnd ? wanted.from : (rows.at(-1)?.idx ?? wanted.from) }
}

function findMarker(handle: Scope['handle'], sessionId: string, index: number): StoredMarker {
  const row = handle.get<{ created_at: Stored }>(
    'select created_at from a2_events where session_id = ? and idx = ?',
    [sessionId, index],
  )
  return { index, createdAt: toTime(row?.created_at ?? null) }
}
