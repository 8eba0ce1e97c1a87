import type { Pace } from '../pace.ts'
import type { Reader } from '../reader.ts'

/** What can be asked of another process; one call is one slice. */
export const SCAN_CALLS = [
  'capabilities',
  'tip',
  'sessionPage',
  'listed',
  'predecessors',
  'touchedSessions',
  'unfinishedRange',
  'unfinishedAgain',
  'unfinishedStep',
  'clearIndexes',
  'gone',
  'markers',
  'sessionUnfinished',
  'locate',
] as const
export type ScanCall = (typeof SCAN_CALLS)[number]

/** Somebody waits for the answer: these do not queue behind the others, and nothing rests after them. */
const URGENT: ReadonlySet<ScanCall> = new Set(['gone', 'markers', 'sessionUnfinished', 'locate'])

export function isUrgent(call: ScanCall): boolean {
  return URGENT.has(call)
}

/**
 * The questions that read much of a table, slice by slice: what `Reader` says of them holds, wherever they
 * are answered. Throws StoreTrouble; `process-ended` when the process that answers them ended
 * again and again, or went away for good.
 */
export interface ScanReader extends Pick<Reader, ScanCall> {
  /** Goes up when what was answered before may be of another file, or of other tables. */
  readonly epoch: number
  /** How long the slices took so far where they ran, ms: waiting for a turn and the way there not included. */
  readonly spentMs: number
  /** Somebody else answers, who may be busy: do not wait for ever. */
  readonly isElsewhere: boolean
  /** To be awaited between two slices. At once where the slices are paced by whoever runs them. */
  rest(tookMs: number): Promise<void>
}

/** Slices that run right here. One for each who measures. `onTook`: told of each. */
export function openLocalScans(
  reader: Reader,
  pace: Pace,
  onTook: (ms: number) => void = () => {},
): ScanReader {
  let spentMs = 0
  const timed = async <T>(run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    try {
      return await run()
    } finally {
      const tookMs = performance.now() - startedAt
      spentMs += tookMs
      onTook(tookMs)
    }
  }
  return {
    isElsewhere: false,
    // Who asks here looks at the reader's own.
    epoch: 0,
    get spentMs() {
      return spentMs
    },
    rest: (tookMs) => pace.afterSlice(tookMs),
    capabilities: () => timed(() => reader.capabilities()),
    tip: () => timed(() => reader.tip()),
    sessionPage: (after, limit) => timed(() => reader.sessionPage(after, limit)),
    listed: (ids) => timed(() => reader.listed(ids)),
    predecessors: (ids) => timed(() => reader.predecessors(ids)),
    touchedSessions: (after, limit) => timed(() => reader.touchedSessions(after, limit)),
    unfinishedRange: (range) => timed(() => reader.unfinishedRange(range)),
    unfinishedAgain: (rows) => timed(() => reader.unfinishedAgain(rows)),
    unfinishedStep: (after, limit) => timed(() => reader.unfinishedStep(after, limit)),
    clearIndexes: (ids) => timed(() => reader.clearIndexes(ids)),
    gone: (wanted) => timed(() => reader.gone(wanted)),
    markers: (wanted) => timed(() => reader.markers(wanted)),
    sessionUnfinished: (wanted, limit) => timed(() => reader.sessionUnfinished(wanted, limit)),
    locate: (eventId, signal) => timed(() => reader.locate(eventId, signal)),
  }
}
