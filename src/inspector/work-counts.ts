import { deriveEventState, type EventState } from '../model/event.ts'
import { NO_WORK, type WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'
import { grown } from './columns.ts'

export type WorkState = keyof WorkCounts

const STATES = ['ready', 'blocked', 'running', 'expired', 'retrying', 'dead'] as const
const PLACES: Readonly<Record<WorkState, number>> = {
  ready: 0,
  blocked: 1,
  running: 2,
  expired: 3,
  retrying: 4,
  dead: 5,
}

/** What of an unfinished event its state follows from. */
export type JudgedRow = Pick<
  UnfinishedRow,
  'index' | 'laneReady' | 'failedAt' | 'failureCount' | 'claimExpiresAt'
>

/** null: it is cleared, and no work. */
export function stateOf(row: JudgedRow, at: { clearIndex: number; now: number }): WorkState | null {
  if (row.index <= at.clearIndex) return null
  const facts = { ...row, isMarker: false, processedAt: null, attemptCount: 0 }
  const state = deriveEventState(facts, at)
  return isWork(state) ? state : null
}

/** Counts a session's unfinished live events by state. */
export function countWork(
  rows: Iterable<UnfinishedRow>,
  at: { clearIndex: number; now: number },
): WorkCounts {
  const counts: Record<WorkState, number> = { ...NO_WORK }
  for (const row of rows) {
    const state = stateOf(row, at)
    if (state !== null) counts[state] += 1
  }
  return counts
}

function isWork(state: EventState): state is WorkState {
  return state in NO_WORK
}

/** Counts of many sessions by columns; sessions are numbers of the caller. */
export class CountColumns {
  #counts = new Uint32Array(0)
  /** Until when they hold, epoch ms; 0: they have to be counted. */
  #until = new Float64Array(0)

  grow(sessions: number): void {
    this.#counts = grown(this.#counts, new Uint32Array(sessions * STATES.length))
    this.#until = grown(this.#until, new Float64Array(sessions))
  }

  isCounted(session: number, now: number): boolean {
    return now < this.#until[session]!
  }

  forget(session: number): void {
    this.#until[session] = 0
  }

  begin(session: number): void {
    this.#until[session] = Number.POSITIVE_INFINITY
    this.#counts.fill(0, session * STATES.length, (session + 1) * STATES.length)
  }

  add(session: number, state: WorkState): void {
    this.#counts[session * STATES.length + PLACES[state]]! += 1
  }

  /** They hold until then at the longest. */
  limit(session: number, until: number): void {
    if (until < this.#until[session]!) this.#until[session] = until
  }

  count(session: number, state: WorkState): number {
    return this.#counts[session * STATES.length + PLACES[state]]!
  }

  read(session: number): WorkCounts {
    const counts: Record<WorkState, number> = { ...NO_WORK }
    for (const state of STATES) counts[state] = this.count(session, state)
    return counts
  }
}
