import type { Lifetime } from '../../../src/model/lifetime.ts'

/** One line of the timeline. */
export type TimelineRow =
  | { readonly kind: 'lifetime'; readonly lifetime: Lifetime }
  | { readonly kind: 'event'; readonly index: number; readonly lifetime: Lifetime }
  /** A range of indexes that is not stored any more. */
  | {
      readonly kind: 'gone'
      readonly from: number
      readonly to: number
      readonly lifetime: Lifetime
    }
  /** The clear marker that `lifetime` begins after. */
  | { readonly kind: 'marker'; readonly index: number; readonly lifetime: Lifetime }

/** A run of lines of one kind. Indexes fall as rows grow. */
interface Segment {
  readonly kind: TimelineRow['kind']
  readonly row: number
  readonly rows: number
  /** Inclusive indexes the segment stands for; low > high for a header above lines of its own. */
  readonly low: number
  readonly high: number
  readonly lifetime: Lifetime
}

/**
 * All lines of a session, newest first, computed from its lifetimes: line n and the line of an index
 * are found in O(log lifetimes), however many events there are.
 */
export interface TimelineRows {
  readonly count: number
  readonly shownHead: number
  readonly segments: readonly Segment[]
}

/** `shownHead` hides what came after it: the list a person reads does not grow under their eyes. */
export function toTimelineRows(lifetimes: readonly Lifetime[], shownHead: number): TimelineRows {
  const segments: Segment[] = []
  let count = 0
  const push = (
    kind: Segment['kind'],
    lifetime: Lifetime,
    [low, high]: readonly [number, number],
    rows: number,
  ) => {
    segments.push({ kind, row: count, rows, low, high, lifetime })
    count += rows
  }
  for (const lifetime of lifetimes) {
    if ((lifetime.startMarker ?? 0) > shownHead) continue
    const to = Math.min(lifetime.to, shownHead)
    if (lifetime.status === 'reclaimed') push('lifetime', lifetime, [lifetime.from, to], 1)
    else {
      push('lifetime', lifetime, [to + 1, to], 1)
      pushEvents(lifetime, to, push)
    }
    if (lifetime.startMarker !== null) {
      push('marker', lifetime, [lifetime.startMarker, lifetime.startMarker], 1)
    }
  }
  return { count, shownHead, segments }
}

function pushEvents(
  lifetime: Lifetime,
  to: number,
  push: (
    kind: Segment['kind'],
    lifetime: Lifetime,
    range: readonly [number, number],
    rows: number,
  ) => void,
): void {
  let high = to
  for (const gone of lifetime.gone.toReversed()) {
    if (gone.from > to) continue
    const goneTo = Math.min(gone.to, to)
    if (high > goneTo) push('event', lifetime, [goneTo + 1, high], high - goneTo)
    push('gone', lifetime, [gone.from, goneTo], 1)
    high = gone.from - 1
  }
  if (high >= lifetime.from)
    push('event', lifetime, [lifetime.from, high], high - lifetime.from + 1)
}

/** The line at a row; undefined outside [0, count). */
export function rowAt(rows: TimelineRows, row: number): TimelineRow | undefined {
  const segment = segmentAtRow(rows, row)
  if (segment === undefined) return undefined
  const { kind, lifetime } = segment
  switch (kind) {
    case 'lifetime':
      return { kind, lifetime }
    case 'event':
      return { kind, index: segment.high - (row - segment.row), lifetime }
    case 'gone':
      return { kind, from: segment.low, to: segment.high, lifetime }
    case 'marker':
    default:
      return { kind, index: segment.low, lifetime }
  }
}

function segmentAtRow({ segments, count }: TimelineRows, row: number): Segment | undefined {
  if (row < 0 || row >= count) return undefined
  let low = 0
  let high = segments.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((segments[middle]?.row ?? 0) <= row) low = middle
    else high = middle - 1
  }
  return segments[low]
}

/**
 * Where an index is shown: its own line, or the line of the range it is gone with. null for an index
 * that is not shown (below 1, above the shown head).
 */
export function rowOfIndex({ segments }: TimelineRows, index: number): number | null {
  let low = 0
  let high = segments.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((segments[middle]?.low ?? 0) <= index) high = middle
    else low = middle + 1
  }
  const segment = segments[low]
  if (segment === undefined || index < segment.low || index > segment.high) return null
  return segment.kind === 'event' ? segment.row + segment.high - index : segment.row
}

/** The header row of the lifetime that the line at `row` belongs to. */
export function headerRowOf(rows: TimelineRows, row: number): number | null {
  const segment = segmentAtRow(rows, row)
  if (segment === undefined) return null
  const header = rows.segments.find(
    (other) => other.kind === 'lifetime' && other.lifetime === segment.lifetime,
  )
  return header?.row ?? null
}

/** The index by which a line is recognised after the list changed; null for a header. */
export function anchorIndexOf(line: TimelineRow): number | null {
  switch (line.kind) {
    case 'event':
    case 'marker':
      return line.index
    case 'gone':
      return line.to
    case 'lifetime':
    default:
      return null
  }
}

/** The nearest row at or beyond `row`, going in `direction`, that can be selected: an event or a marker. */
export function selectableFrom(
  rows: TimelineRows,
  row: number,
  direction: 1 | -1,
): { readonly row: number; readonly index: number } | null {
  for (let at = row; at >= 0 && at < rows.count; at += direction) {
    const line = rowAt(rows, at)
    if (line?.kind === 'event' || line?.kind === 'marker') return { row: at, index: line.index }
  }
  return null
}
