import { setImmediate as yieldNow } from 'node:timers/promises'

import type { WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'
import type { Reader } from './reader.ts'
import type { WorkIndex } from './work-index.ts'
import { countWork } from './work-table.ts'

const STEP_ROWS = 2000
const MAX_MS = 200
/** Above this, bringing what is known of all sessions up to date costs less than looking at the session. */
const MAX_LIVE = 5000

/**
 * One session's unfinished live events, counted now; from the last count of everything when that would
 * take too long; null when that is not known yet either.
 */
export async function countSessionWork(
  reader: Reader,
  index: WorkIndex,
  session: { readonly id: string; readonly clearIndex: number; readonly head: number },
  maxMs = MAX_MS,
): Promise<WorkCounts | null> {
  if (session.head - session.clearIndex > MAX_LIVE) {
    const counted = await index.countNow(session.id)
    if (counted !== null) return counted
  }
  const stopAt = performance.now() + maxMs
  const rows: UnfinishedRow[] = []
  let from: number | null = session.clearIndex + 1
  while (from !== null) {
    if (performance.now() > stopAt) return index.countsOf(session.id)
    const step: Awaited<ReturnType<Reader['sessionUnfinished']>> = await reader.sessionUnfinished(
      { sessionId: session.id, from },
      STEP_ROWS,
    )
    rows.push(...step.rows)
    from = step.next
    if (from !== null) await yieldNow()
  }
  return countWork(rows, { clearIndex: session.clearIndex, now: reader.now() })
}
