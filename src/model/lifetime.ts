/** An inclusive range of indexes. */
export interface IndexRange {
  readonly from: number
  readonly to: number
}

/**
 * The events between two clear markers (the markers themselves excluded).
 * `from > to` means: empty.
 */
export interface Lifetime {
  /** Counted from 1; a lower bound when `isNumberLowerBound`. */
  readonly number: number
  /** True when indexes in or before this lifetime are gone: they may have held markers of older lifetimes. */
  readonly isNumberLowerBound: boolean
  readonly from: number
  readonly to: number
  /** The marker this lifetime begins after; null for the first one, or when that marker is gone. */
  readonly startMarker: number | null
  /** The marker that ended it; null for the current one. */
  readonly endMarker: number | null
  readonly status: 'current' | 'cleared' | 'partly-reclaimed' | 'reclaimed'
  /** Events still stored. */
  readonly stored: number
  /** Ranges inside [from, to] that are gone, ascending. */
  readonly gone: readonly IndexRange[]
  /** created_at of the start marker, or of the first stored event; epoch ms. */
  readonly startedAt: number | null
  /** created_at of the end marker, epoch ms; null for the current one. */
  readonly endedAt: number | null
}

export interface LifetimeInput {
  readonly head: number
  readonly clearIndex: number
  /** Stored markers with index ≤ clearIndex, ascending, the last one being the clear index itself when stored. */
  readonly markers: readonly { readonly index: number; readonly createdAt: number | null }[]
  /** Ranges of indexes in [1, clearIndex] that are not stored, ascending, not touching each other. */
  readonly gone: readonly IndexRange[]
  /** created_at of the lowest stored event. */
  readonly firstActivityAt: number | null
  /** Indexes up to here were not looked at for markers: older lifetimes may hide there. 0 or absent: all were. */
  readonly unscannedThrough?: number
}

/** Splits a session into lifetimes, newest first. A session without a clear has exactly one. */
export function toLifetimes(input: LifetimeInput): Lifetime[] {
  const ends = input.markers.filter((marker) => marker.index <= input.clearIndex)
  // A foreign database may have lost the marker row itself: the clear index still ends a lifetime.
  if (input.clearIndex > 0 && ends.at(-1)?.index !== input.clearIndex) {
    ends.push({ index: input.clearIndex, createdAt: null })
  }
  const isUnscanned = (input.unscannedThrough ?? 0) > 0
  const lifetimes: Lifetime[] = []
  let start: { index: number; createdAt: number | null } | null = null
  for (const end of [...ends, null]) {
    const from: number = (start?.index ?? 0) + 1
    const to = end === null ? input.head : end.index - 1
    const gone = clip(input.gone, { from, to })
    const goneCount = gone.reduce((sum, range) => sum + range.to - range.from + 1, 0)
    const stored = Math.max(0, to - from + 1 - goneCount)
    lifetimes.unshift({
      number: lifetimes.length + 1,
      isNumberLowerBound:
        isUnscanned || input.gone.some((range) => range.from <= to && range.to >= 2),
      from,
      to,
      startMarker: start?.index ?? null,
      endMarker: end?.index ?? null,
      status: statusOf(end === null, stored, goneCount),
      stored,
      gone,
      startedAt: start === null ? firstStartedAt(input, stored) : start.createdAt,
      endedAt: end?.createdAt ?? null,
    })
    start = end
  }
  return lifetimes
}

/** The lowest stored event belongs to the first lifetime only if that one still holds any. */
function firstStartedAt(input: LifetimeInput, stored: number): number | null {
  return stored > 0 ? input.firstActivityAt : null
}

function statusOf(isCurrent: boolean, stored: number, gone: number): Lifetime['status'] {
  if (isCurrent) return 'current'
  if (gone === 0) return 'cleared'
  return stored === 0 ? 'reclaimed' : 'partly-reclaimed'
}

function clip(ranges: readonly IndexRange[], within: IndexRange): IndexRange[] {
  return ranges
    .filter((range) => range.to >= within.from && range.from <= within.to)
    .map((range) => ({
      from: Math.max(range.from, within.from),
      to: Math.min(range.to, within.to),
    }))
}
