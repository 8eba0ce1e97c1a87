import { setImmediate as yieldNow } from 'node:timers/promises'

import { type IndexRange, type Lifetime, toLifetimes } from '../model/lifetime.ts'
import type { BoundedCount } from '../model/session.ts'
import type { StoredMarker } from './queries/past.ts'
import type { Reader, SessionHead } from './reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import { within } from './scans/within.ts'

/** One request looks no longer than this; the next one goes on where it ended. */
const MAX_MS = 250
const MAX_REMEMBERED = 64
/** So many indexes, and so many rows, are looked at at once, right here. */
const FEW = { indexes: 4096, rows: 500 }

interface KnownMarkers {
  readonly epoch: number
  readonly markerType: string
  /** Ascending. */
  markers: StoredMarker[]
  /** Indexes in [scannedFrom, scannedThrough] were looked at. */
  scannedFrom: number
  scannedThrough: number
}

interface FoundMarkers {
  readonly markers: StoredMarker[]
  /** Markers up to here may be missing; 0: none are. */
  readonly unscannedThrough: number
}

export interface Past {
  readonly lifetimes: Lifetime[]
  readonly counts: { readonly toReclaim: BoundedCount; readonly lifetimes: BoundedCount }
}

/** Splits sessions into lifetimes. What is below a marker changes only by being deleted, so markers are remembered. */
export class SessionPast {
  readonly #reader: Reader
  readonly #scans: ScanReader
  readonly #here: Pick<ScanReader, 'isElsewhere' | 'gone' | 'markers'>
  readonly #known = new Map<string, KnownMarkers>()
  /** The last look for markers of a session: the next one begins where it ended. */
  readonly #looks = new Map<string, Promise<unknown>>()

  constructor(reader: Reader, scans: ScanReader) {
    this.#reader = reader
    this.#scans = scans
    this.#here = {
      isElsewhere: false,
      gone: (wanted) => reader.gone(wanted),
      markers: (wanted) => reader.markers(wanted),
    }
  }

  async read(session: SessionHead): Promise<Past> {
    const { clearIndex, head, summary } = session
    const stopAt = performance.now() + MAX_MS
    const { gone, goneKnownThrough } = await this.#readGone(session, stopAt)
    const { markers, unscannedThrough } = await this.#readMarkers(session, stopAt)
    const stored = markers.filter(
      ({ index }) => !gone.some(({ from, to }) => index >= from && index <= to),
    )
    const lifetimes = toLifetimes({
      head,
      clearIndex,
      markers: stored,
      gone,
      firstActivityAt: summary.firstActivityAt,
      unscannedThrough,
    })
    const goneBelow = gone.reduce(
      (sum, { from, to }) => sum + Math.max(0, Math.min(to, clearIndex - 1) - from + 1),
      0,
    )
    return {
      lifetimes,
      counts: {
        toReclaim:
          clearIndex > 0 && goneKnownThrough >= clearIndex
            ? { count: clearIndex - 1 - goneBelow, isLowerBound: false }
            : summary.toReclaim,
        lifetimes: {
          count: lifetimes.length,
          isLowerBound: lifetimes[0]?.isNumberLowerBound ?? false,
        },
      },
    }
  }

  async #readGone(
    { clearIndex, summary }: SessionHead,
    stopAt: number,
  ): Promise<{ gone: IndexRange[]; goneKnownThrough: number }> {
    const gone: IndexRange[] = []
    let from: number | null = clearIndex > 0 ? 1 : null
    while (from !== null && performance.now() < stopAt) {
      const wanted = { sessionId: summary.id, from, through: clearIndex }
      const asked = clearIndex > FEW.indexes ? this.#scans : this.#here
      const step: Awaited<ReturnType<Reader['gone']>> | undefined = await within(
        stopAt,
        asked,
        asked.gone(wanted),
      )
      if (step === undefined) break
      gone.push(...step.gone)
      from = step.next
      if (from !== null) await yieldNow()
    }
    return { gone: joined(gone), goneKnownThrough: from === null ? clearIndex : from - 1 }
  }

  /** One look at a time a session: two at once would remember what they find twice. */
  async #readMarkers(session: SessionHead, stopAt: number): Promise<FoundMarkers> {
    const { id } = session.summary
    const look = (this.#looks.get(id) ?? Promise.resolve()).then(() =>
      this.#lookForMarkers(session, stopAt),
    )
    const ended = look.catch(() => null)
    this.#looks.set(id, ended)
    try {
      return await look
    } finally {
      if (this.#looks.get(id) === ended) this.#looks.delete(id)
    }
  }

  async #lookForMarkers(session: SessionHead, stopAt: number): Promise<FoundMarkers> {
    const { clearIndex, summary } = session
    if (clearIndex === 0) return { markers: [], unscannedThrough: 0 }
    const known = this.#remembered(session)
    const first = Math.max(1, summary.firstIndex)
    if (known.scannedThrough < clearIndex) {
      const newer = await this.#scan(session, known.scannedThrough + 1, clearIndex, stopAt)
      // An unfinished look at the newer part would leave a hole: start over from the top next time.
      if (newer.scannedFrom > known.scannedThrough + 1) {
        Object.assign(known, { markers: newer.markers, scannedFrom: newer.scannedFrom })
      } else {
        known.markers = [...known.markers, ...newer.markers]
        known.scannedFrom = Math.min(known.scannedFrom, newer.scannedFrom)
      }
      known.scannedThrough = clearIndex
    }
    if (known.scannedFrom > first) {
      const older = await this.#scan(session, first, known.scannedFrom - 1, stopAt)
      known.markers = [...older.markers, ...known.markers]
      known.scannedFrom = older.scannedFrom
    }
    return {
      markers: known.markers,
      unscannedThrough: known.scannedFrom > first ? known.scannedFrom - 1 : 0,
    }
  }

  async #scan(
    { summary, markerType, clearIndex }: SessionHead,
    from: number,
    through: number,
    stopAt: number,
  ): Promise<{ markers: StoredMarker[]; scannedFrom: number }> {
    const markers: StoredMarker[] = []
    let scannedFrom = through + 1
    while (scannedFrom > from && performance.now() < stopAt) {
      const wanted = {
        sessionId: summary.id,
        from,
        through: scannedFrom - 1,
        markerType,
        clearIndex,
      }
      const asked = wanted.through - from > FEW.rows ? this.#scans : this.#here
      const step = await within(stopAt, asked, asked.markers(wanted))
      if (step === undefined) break
      markers.unshift(...step.markers.toReversed())
      scannedFrom = step.scannedFrom
      if (scannedFrom > from) await yieldNow()
    }
    return { markers, scannedFrom }
  }

  #remembered({ summary, markerType, clearIndex }: SessionHead): KnownMarkers {
    const epoch = this.#reader.epoch.schema
    let known = this.#known.get(summary.id)
    const isValid =
      known?.epoch === epoch &&
      known.markerType === markerType &&
      known.scannedThrough <= clearIndex
    if (known === undefined || !isValid) {
      known = {
        epoch,
        markerType,
        markers: [],
        scannedFrom: Math.max(1, summary.firstIndex),
        scannedThrough: Math.max(1, summary.firstIndex) - 1,
      }
    }
    this.#known.delete(summary.id)
    this.#known.set(summary.id, known)
    const oldest = this.#known.keys().next().value
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
    return known
  }
}

/** Ranges that touch become one. */
function joined(ranges: readonly IndexRange[]): IndexRange[] {
  const result: IndexRange[] = []
  for (const range of ranges) {
    const last = result.at(-1)
    if (last !== undefined && last.to + 1 === range.from) {
      result[result.length - 1] = { from: last.from, to: range.to }
    } else {
      result.push(range)
    }
  }
  return result
}
