import type { Pace } from '../pace.ts'
import type { Reader } from '../reader.ts'
import { openRemoteScans } from './remote-scans.ts'
import type { RemoteScans } from './remote-scans.ts'
import { openLocalScans } from './scan-reader.ts'
import type { ScanReader } from './scan-reader.ts'

/** So much of the scans is done right here before the other process is there: a small database is complete at once. */
const EARLY_MS = 80

/** Opens readers of which the first slices run here, as long as nothing else does, and all later ones elsewhere. */
export function makeEarlyScans({
  reader,
  pace,
  remote,
}: {
  readonly reader: Reader
  readonly pace: Pace
  readonly remote: RemoteScans
}): () => ScanReader {
  let spentMs = 0
  let isOver = false
  const isEarly = (): boolean => {
    // Never again: what ended the other process would end this one too.
    isOver ||= remote.isConnected || spentMs >= EARLY_MS
    return !isOver
  }
  return () => {
    const here = openLocalScans(reader, pace, (ms) => {
      spentMs += ms
    })
    const there = openRemoteScans(remote)
    return either(here, there, () => (isEarly() ? here : there))
  }
}

function either(here: ScanReader, there: ScanReader, pick: () => ScanReader): ScanReader {
  return {
    get isElsewhere() {
      return pick().isElsewhere
    },
    get epoch() {
      return there.epoch
    },
    get spentMs() {
      return here.spentMs + there.spentMs
    },
    rest: (tookMs) => pick().rest(tookMs),
    capabilities: () => pick().capabilities(),
    tip: () => pick().tip(),
    sessionPage: (after, limit) => pick().sessionPage(after, limit),
    listed: (ids) => pick().listed(ids),
    predecessors: (ids) => pick().predecessors(ids),
    touchedSessions: (after, limit) => pick().touchedSessions(after, limit),
    unfinishedRange: (range) => pick().unfinishedRange(range),
    unfinishedAgain: (rows) => pick().unfinishedAgain(rows),
    unfinishedStep: (after, limit) => pick().unfinishedStep(after, limit),
    clearIndexes: (ids) => pick().clearIndexes(ids),
    gone: (wanted) => pick().gone(wanted),
    markers: (wanted) => pick().markers(wanted),
    sessionUnfinished: (wanted, limit) => pick().sessionUnfinished(wanted, limit),
    // It may take seconds.
    locate: (eventId, signal) => there.locate(eventId, signal),
  }
}
