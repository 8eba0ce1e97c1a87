import { setImmediate as yieldNow } from 'node:timers/promises'

import type { WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'
import type { Reader } from './reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import { within } from './scans/within.ts'
import type { WorkIndex } from './work-index.ts'
import { countWork } from './work-counts.ts'

const STEP_ROWS = 2000
const MAX_MS = 200
/** So long the other process is waited for, before it is done here. */
const OTHER_MS = 1000
/** So many are looked at at once, right here. */
const FEW = 500
/** Above this, bringing what is known of all sessions up to date costs less than looking at the session. */
const MAX_LIVE = 5000

type Step = Awaited<ReturnType<Reader['sessionUnfinished']>>

interface Sources {
  readonly reader: Reader
  /** For more than a few events. */
  readonly scans: ScanReader
  readonly work: WorkIndex
}

/**
 * One session's unfinished live events, counted now; from the last count of everything when that would
 * take too long; null when that is not known yet either.
 */
export async function countSessionWork(
  { reader, scans, work: index }: Sources,
  session: { readonly id: string; readonly clearIndex: number; readonly head: number },
  maxMs = MAX_MS,
): Promise<WorkCounts | null> {
  if (session.head - session.clearIndex > MAX_LIVE) {
    const counted = await index.countNow(session.id)
    if (counted !== null) return counted
  }
  const stopAt = performance.now() + maxMs
  const isFew = session.head - session.clearIndex <= FEW
  const ask = makeAsk({ reader, scans: isFew ? null : scans, stopAt })
  const rows: UnfinishedRow[] = []
  let from: number | null = session.clearIndex + 1
  while (from !== null) {
    const step: Step | undefined = await ask({ sessionId: session.id, from })
    if (step === undefined || (step.next !== null && performance.now() > stopAt)) {
      return index.countsOf(session.id)
    }
    rows.push(...step.rows)
    from = step.next
    if (from !== null) await yieldNow()
  }
  return countWork(rows, { clearIndex: session.clearIndex, now: reader.now() })
}

/** Asks step by step. undefined: it cannot be had in time. One who has time does not wait for a process that is stuck. */
function makeAsk({
  reader,
  scans,
  stopAt,
}: {
  readonly reader: Reader
  readonly scans: ScanReader | null
  readonly stopAt: number
}): (wanted: Parameters<Reader['sessionUnfinished']>[0]) => Promise<Step | undefined> {
  let elsewhere = scans
  return async (wanted) => {
    if (elsewhere !== null) {
      const until = Math.min(stopAt, performance.now() + OTHER_MS)
      const answer = elsewhere.sessionUnfinished(wanted, STEP_ROWS)
      const step = await within(until, elsewhere, answer)
      if (step !== undefined || stopAt !== Number.POSITIVE_INFINITY) return step
      elsewhere = null
    }
    return reader.sessionUnfinished(wanted, STEP_ROWS)
  }
}
