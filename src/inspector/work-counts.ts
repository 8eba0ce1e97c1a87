import { deriveEventState, type EventState } from '../model/event.ts'
import { NO_WORK, type WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'
import { Column } from './columns.ts'

export type WorkState = keyof WorkCounts

const STATES = ['ready', 'blocked', 'running', 'expired', 'retrying', 'dead'] as const
/** What of an unfinished event its state follows from. */
export type JudgedRow = Pick<
  UnfinishedRow,
  'index' | 'laneReady' | 'failedAt' | 'failureCount' | 'claimExpiresAt'
>

/** null: it is cleared, and no work. */
export function stateOf(row: JudgedRow, at: { clearIndex: number; now: number }): WorkState | null {
  if (row.index <= at.clearIndex) return null
  const { index, laneReady, failedAt, failureCount, claimExpiresAt } = row
  // Of many rows: copying them by `...` takes most of the time.
  const facts = {
    index,
    isMarker: false,
    laneReady,
    processedAt: null,
    failedAt,
    attemptCount: 0,
    failureCount,
    claimExpiresAt,
  }
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
  readonly #counts: Readonly<Record<WorkState, Column>> = {
    ready: new Column(Uint32Array),
    blocked: new Column(Uint32Array),
    running: new Column(Uint32Array),
    expired: new Column(Uint32Array),
    retrying: new Column(Uint32Array),
    dead: new Column(Uint32Array),
  }
  /** Until when they hold, epoch ms; 0: they have to be counted. */
  readonly #until = new Column(Float64Array)

  grow(): void {
    for (const state of STATES) this.#counts[state].grow()
    this.#until.grow()
  }

  /** They hold whatever the time: no claim among them expires. */
  isSteady(session: number): boolean {
    return this.#until.get(session) === Number.POSITIVE_INFINITY
  }

  isCounted(session: number, now: number): boolean {
    return now < this.#until.get(session)
  }

  /** Until when all counted of the first `end` sessions hold, epoch ms. */
  holdUntil(end: number): number {
    let until = Number.POSITIVE_INFINITY
    for (let session = 0; session < end; session += 1) {
      const one = this.#until.get(session)
      if (one > 0 && one < until) until = one
    }
    return until
  }

  forget(session: number): void {
    this.#until.set(session, 0)
  }

  begin(session: number): void {
    this.#until.set(session, Number.POSITIVE_INFINITY)
    for (const state of STATES) this.#counts[state].set(session, 0)
  }

  add(session: number, state: WorkState): void {
    this.#counts[state].set(session, this.count(session, state) + 1)
  }

  /** They hold until then at the longest. */
  limit(session: number, until: number): void {
    if (until < this.#until.get(session)) this.#until.set(session, until)
  }

  count(session: number, state: WorkState): number {
    return this.#counts[state].get(session)
  }

  read(session: number): WorkCounts {
    const counts: Record<WorkState, number> = { ...NO_WORK }
    for (const state of STATES) counts[state] = this.count(session, state)
    return counts
  }
}
