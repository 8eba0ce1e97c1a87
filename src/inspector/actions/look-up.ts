import { setTimeout as sleep } from 'node:timers/promises'

import type { ActionOutcome } from '../../model/action.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import type { Reader } from '../reader.ts'

/** A lost connection comes back by itself, or it does not. */
const PATIENCE_MS = 20_000
const RETRY_MS = 250

/** What an action looks at to find out whether it happened. */
export interface LookUp {
  /** Whether the change is there. Throws StoreTrouble. */
  readonly isDone: () => Promise<boolean>
  readonly done: string
  readonly notDone: string
}

/**
 * After a write whose answer never came: whether it took hold. Nothing is written. null: it could not be
 * found out.
 */
export async function lookUp(reader: Reader, wanted: LookUp): Promise<ActionOutcome | null> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      // As long as the write may still be under way, what is there says nothing.
      if ((await reader.isWriteUnderWay?.()) !== true) {
        const isDone = await wanted.isDone()
        return isDone ? { outcome: 'done', detail: `${wanted.done} ${LOST}` } : notDone(wanted)
      }
    } catch (error) {
      if (!(error instanceof StoreTrouble)) throw error
    }
    if (performance.now() > giveUpAt) return null
    await sleep(RETRY_MS)
  }
}

const LOST = 'The connection was lost on the way; this was looked up.'

function notDone({ notDone: detail }: LookUp): ActionOutcome {
  return { outcome: 'refused', reason: 'connection-lost', detail: `${detail} ${LOST}` }
}
