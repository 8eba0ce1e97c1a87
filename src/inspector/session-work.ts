import { setImmediate as yieldNow } from 'node:timers/promises'

import type { WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'
import type { Reader } from './reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import { within } from './scans/within.ts'
import type { WorkIndex } from './work-index.ts'
import { countWork } from './work-table.ts'

const STEP_ROWS = 2000
const MAX_MS = 200
/** So many are looked at at once, right here. */
const FEW = 500
/** Above this, bringing what is known of all sessions up to date costs less than looking at the session. */
const MAX_LIVE = 5000

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
  const asked = session.head - session.clearIndex > FEW ? scans : reader
  const rows: UnfinishedRow[] = []
  let from: number | null = session.clearIndex + 1
  while (from !== null) {
    const step: Awaited<ReturnType<Reader['sessionUnfinished']>> | undefined = await within(
      stopAt,
      asked.sessionUnfinished({ sessionId: session.id, from }, STEP_ROWS),
    )
    if (step === undefined || (step.next !== null && performance.now() > stopAt)) {
      return index.countsOf(session.id)
    }
    rows.push(...step.rows)
    from = step.next
    if (from !== null) await yieldNow()
  }
  return countWork(rows, { clearIndex: session.clearIndex, now: reader.now() })
}
