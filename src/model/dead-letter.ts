import type { EventRow } from './event.ts'

/** A live event that failed for good and waits for a redrive. */
export interface DeadLetter {
  readonly sessionId: string
  /** Current values; its state may have changed since the list was frozen. null when the row is gone. */
  readonly event: EventRow | null
  readonly index: number
  /** Unfinished live events of its lane with a higher index; 0 without a lane. */
  readonly waitingBehind: number
  readonly isWaitingBehindLowerBound: boolean
}

/** A frozen list of dead letters, newest failure first. */
export interface DeadLetterView {
  readonly viewId: string
  readonly total: number
  readonly sessions: number
  readonly isComplete: boolean
  /** Epoch ms; null: never counted. */
  readonly countedAt: number | null
}
