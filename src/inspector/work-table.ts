import { deriveEventState, type EventState } from '../model/event.ts'
import { NO_WORK, type WorkCounts } from '../model/session.ts'
import type { UnfinishedRow } from './queries/work.ts'

interface SessionWork {
  clearIndex: number
  readonly rows: Map<number, UnfinishedRow>
  /** Counted lazily; valid until a row changes or a claim expires. */
  counted: { readonly work: WorkCounts; readonly until: number } | null
}

/** One dead letter as the list of all of them keeps it. */
export interface DeadRow {
  readonly sessionId: string
  readonly index: number
  readonly failedAt: number
  readonly lane: string | null
}

/** Unfinished events by session, in memory. Events at or below a session's clear index are kept, but never counted. */
export class WorkTable {
  readonly #now: () => number
  readonly #sessions = new Map<string, SessionWork>()

  constructor(now: () => number) {
    this.#now = now
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  sessionIds(): string[] {
    return [...this.#sessions.keys()]
  }

  allRows(): UnfinishedRow[] {
    return [...this.#sessions.values()].flatMap(({ rows }) => [...rows.values()])
  }

  rowsOf(sessionId: string): UnfinishedRow[] {
    return [...(this.#sessions.get(sessionId)?.rows.values() ?? [])]
  }

  /** Adds rows, or puts them in the place of older values. */
  put(rows: readonly UnfinishedRow[]): void {
    for (const row of rows) {
      let session = this.#sessions.get(row.sessionId)
      if (session === undefined) {
        session = { clearIndex: 0, rows: new Map(), counted: null }
        this.#sessions.set(row.sessionId, session)
      }
      session.rows.set(row.index, row)
      session.counted = null
    }
  }

  remove({ sessionId, index }: UnfinishedRow): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    session.rows.delete(index)
    session.counted = null
  }

  keepOnly(found: ReadonlySet<UnfinishedRow>): void {
    for (const session of this.#sessions.values()) {
      for (const row of session.rows.values()) {
        if (!found.has(row)) session.rows.delete(row.index)
      }
      session.counted = null
    }
  }

  /** Forgets a session without unfinished events. */
  setClearIndex(sessionId: string, clearIndex: number): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    if (session.rows.size === 0) this.#sessions.delete(sessionId)
    if (session.clearIndex === clearIndex) return
    session.clearIndex = clearIndex
    session.counted = null
  }

  countsOf(sessionId: string): WorkCounts {
    const known = this.#sessions.get(sessionId)
    return known === undefined ? NO_WORK : this.#count(known)
  }

  /** Sessions with unfinished events. */
  *counted(): Generator<{ readonly sessionId: string; readonly work: WorkCounts }> {
    for (const [sessionId, known] of this.#sessions) {
      yield { sessionId, work: this.#count(known) }
    }
  }

  /** Live dead letters, newest failure first. */
  deadRows(): DeadRow[] {
    const dead: DeadRow[] = []
    for (const [sessionId, { clearIndex, rows }] of this.#sessions) {
      for (const { index, failedAt, lane } of rows.values()) {
        if (failedAt !== null && index > clearIndex) dead.push({ sessionId, index, failedAt, lane })
      }
    }
    return dead.toSorted((a, b) => b.failedAt - a.failedAt || b.index - a.index)
  }

  /** Live events of a lane, ascending. */
  laneIndexes(sessionId: string, lane: string): number[] {
    const clearIndex = this.#sessions.get(sessionId)?.clearIndex ?? 0
    return this.rowsOf(sessionId)
      .filter((row) => row.lane === lane && row.index > clearIndex)
      .map(({ index }) => index)
      .toSorted((a, b) => a - b)
  }

  /** Live events of all lanes and of none, ascending. */
  sessionIndexes(sessionId: string): number[] {
    const clearIndex = this.#sessions.get(sessionId)?.clearIndex ?? 0
    return this.rowsOf(sessionId)
      .map(({ index }) => index)
      .filter((index) => index > clearIndex)
      .toSorted((a, b) => a - b)
  }

  #count(known: SessionWork): WorkCounts {
    const now = this.#now()
    if (known.counted !== null && now < known.counted.until) return known.counted.work
    const work = countWork(known.rows.values(), { clearIndex: known.clearIndex, now })
    let until = Number.POSITIVE_INFINITY
    for (const { claimExpiresAt } of known.rows.values()) {
      if (claimExpiresAt !== null && claimExpiresAt > now) until = Math.min(until, claimExpiresAt)
    }
    known.counted = { work, until }
    return work
  }
}

/** Counts a session's unfinished live events by state. */
export function countWork(
  rows: Iterable<UnfinishedRow>,
  at: { clearIndex: number; now: number },
): WorkCounts {
  const counts: Record<keyof WorkCounts, number> = { ...NO_WORK }
  for (const row of rows) {
    if (row.index <= at.clearIndex) continue
    const facts = { ...row, isMarker: false, processedAt: null, attemptCount: 0 }
    const state = deriveEventState(facts, at)
    if (isWork(state)) counts[state] += 1
  }
  return counts
}

function isWork(state: EventState): state is keyof WorkCounts {
  return state in NO_WORK
}
