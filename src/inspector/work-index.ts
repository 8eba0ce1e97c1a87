import { deriveEventState, type EventState } from '../model/event.ts'
import { NO_WORK, type WorkCounts } from '../model/session.ts'
import type { Pace } from './pace.ts'
import type { KnownWork } from './queries/lane.ts'
import type { UnfinishedRow, WorkKey } from './queries/work.ts'
import type { Capabilities, Reader } from './reader.ts'

const ROWIDS = { min: 500, max: 2_000_000 }
const BLOCKS = { min: 8, max: 2048 }
const KEYS = { min: 200, max: 50_000 }
const RECHECK = { min: 200, max: 20_000 }

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

/** All unfinished events, kept in memory: found by one pass in slices, then kept up to date. */
export class WorkIndex implements KnownWork {
  readonly #reader: Reader
  readonly #pace: Pace
  #sessions = new Map<string, SessionWork>()
  #isComplete = false
  #countedAt: number | null = null
  #progress = 0
  #throughRowid = 0

  constructor(reader: Reader, pace: Pace) {
    this.#reader = reader
    this.#pace = pace
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  get countedAt(): number | null {
    return this.#countedAt
  }

  /** 0…1 of the first pass. */
  get progress(): number {
    return this.#isComplete ? 1 : this.#progress
  }

  reset(): void {
    this.#sessions = new Map()
    this.#isComplete = false
    this.#countedAt = null
    this.#progress = 0
    this.#throughRowid = 0
  }

  /** Finds everything, or re-checks what is known and adds what is new. */
  async bringUpToDate(onProgress: () => void): Promise<void> {
    const capabilities = await this.#reader.capabilities()
    const startedAt = this.#reader.now()
    if (!this.#isComplete || !capabilities.hasRowids) {
      await this.#findAll(capabilities, onProgress)
    }
    if (capabilities.hasRowids) await this.#refresh()
    if (this.#pace.isClosed) return
    await this.#readClearIndexes()
    this.#isComplete = true
    this.#countedAt = startedAt
    onProgress()
  }

  /** Brings one session up to date after something was done to it. */
  async updateSession(sessionId: string): Promise<void> {
    const known = this.#sessions.get(sessionId)
    if (known !== undefined) await this.#recheck([...known.rows.values()])
    await this.#readClearIndexes([sessionId])
  }

  /** null: not counted yet. */
  countsOf(sessionId: string): WorkCounts | null {
    if (!this.#isComplete) return null
    const known = this.#sessions.get(sessionId)
    return known === undefined ? NO_WORK : this.#count(known)
  }

  /** Sessions with unfinished live events, as far as they are known. */
  *counted(): Generator<{ readonly sessionId: string; readonly work: WorkCounts }> {
    for (const [sessionId, known] of this.#sessions) {
      yield { sessionId, work: this.#count(known) }
    }
  }

  /** Live dead letters as far as they are known, newest failure first. */
  deadRows(): DeadRow[] {
    const dead: DeadRow[] = []
    for (const [sessionId, { clearIndex, rows }] of this.#sessions) {
      for (const { index, failedAt, lane } of rows.values()) {
        if (failedAt !== null && index > clearIndex) dead.push({ sessionId, index, failedAt, lane })
      }
    }
    return dead.toSorted((a, b) => b.failedAt - a.failedAt || b.index - a.index)
  }

  laneIndexes(sessionId: string, lane: string): readonly number[] | null {
    if (!this.#isComplete) return null
    const known = this.#sessions.get(sessionId)
    if (known === undefined) return []
    return [...known.rows.values()]
      .filter((row) => row.lane === lane && row.index > known.clearIndex)
      .map(({ index }) => index)
      .toSorted((a, b) => a - b)
  }

  sessionIndexes(sessionId: string): readonly number[] | null {
    if (!this.#isComplete) return null
    const known = this.#sessions.get(sessionId)
    if (known === undefined) return []
    return [...known.rows.keys()]
      .filter((index) => index > known.clearIndex)
      .toSorted((a, b) => a - b)
  }

  #count(known: SessionWork): WorkCounts {
    const now = this.#reader.now()
    if (known.counted !== null && now < known.counted.until) return known.counted.work
    const at = { clearIndex: known.clearIndex, now }
    let until = Number.POSITIVE_INFINITY
    const work = countWork(known.rows.values(), at)
    for (const { claimExpiresAt } of known.rows.values()) {
      if (claimExpiresAt !== null && claimExpiresAt > now) until = Math.min(until, claimExpiresAt)
    }
    known.counted = { work, until }
    return work
  }

  async #findAll(capabilities: Capabilities, onProgress: () => void): Promise<void> {
    if (capabilities.hasWorkIndex) await this.#walkKeys(capabilities, onProgress)
    else if (capabilities.hasRowids) await this.#walkRowids(onProgress)
    else if (capabilities.hasBlocks) await this.#walkBlocks(onProgress)
    else await this.#walkKeys(capabilities, onProgress)
  }

  /** Newest first, so that the newest dead letters are known at once. */
  async #walkRowids(onProgress: () => void): Promise<void> {
    const { rowid: newest } = await this.#reader.tip()
    this.#throughRowid = newest
    let size = 5000
    let through = newest
    while (through > 0 && !this.#pace.isClosed) {
      const startedAt = performance.now()
      const above = Math.max(0, through - size)
      await this.#add(await this.#reader.unfinishedRange({ above, through }))
      through = above
      this.#progress = 1 - through / newest
      const tookMs = performance.now() - startedAt
      size = this.#pace.nextSize(size, tookMs, ROWIDS)
      await this.#pace.afterSlice(tookMs)
      onProgress()
    }
  }

  /** A row that is written to while this goes on may move to where it was looked already: known ones are looked up. */
  async #walkBlocks(onProgress: () => void): Promise<void> {
    const known = this.#all()
    const found = new Set<string>()
    const { rowid: blocks } = await this.#reader.tip()
    let size = 64
    let through = blocks
    while (through > 0 && !this.#pace.isClosed) {
      const startedAt = performance.now()
      const above = Math.max(0, through - size)
      const rows = await this.#reader.unfinishedRange({ above, through })
      await this.#add(rows)
      for (const { sessionId, index } of rows) found.add(`${index} ${sessionId}`)
      through = above
      this.#progress = 1 - through / blocks
      const tookMs = performance.now() - startedAt
      size = this.#pace.nextSize(size, tookMs, BLOCKS)
      await this.#pace.afterSlice(tookMs)
      onProgress()
    }
    await this.#recheckAll(known.filter((row) => !found.has(`${row.index} ${row.sessionId}`)))
  }

  async #walkKeys({ hasRowids }: Capabilities, onProgress: () => void): Promise<void> {
    const found = new Set<UnfinishedRow>()
    if (hasRowids) this.#throughRowid = (await this.#reader.tip()).rowid
    let after: WorkKey | null = null
    let size = 1000
    do {
      const startedAt = performance.now()
      const step = await this.#reader.unfinishedStep(after, size)
      if (this.#pace.isClosed) return
      await this.#add(step.rows)
      for (const row of step.rows) found.add(row)
      after = step.next
      const tookMs = performance.now() - startedAt
      size = this.#pace.nextSize(size, tookMs, KEYS)
      if (after !== null) await this.#pace.afterSlice(tookMs)
      onProgress()
    } while (after !== null)
    this.#keepOnly(found)
  }

  #all(): UnfinishedRow[] {
    return [...this.#sessions.values()].flatMap(({ rows }) => [...rows.values()])
  }

  async #recheckAll(known: readonly UnfinishedRow[]): Promise<void> {
    let size = 2000
    for (let from = 0; from < known.length && !this.#pace.isClosed;) {
      const startedAt = performance.now()
      await this.#recheck(known.slice(from, from + size))
      from += size
      const tookMs = performance.now() - startedAt
      size = this.#pace.nextSize(size, tookMs, RECHECK)
      await this.#pace.afterSlice(tookMs)
    }
  }

  async #refresh(): Promise<void> {
    await this.#recheckAll(this.#all())
    const { rowid: newest } = await this.#reader.tip()
    let step = 20_000
    while (this.#throughRowid < newest && !this.#pace.isClosed) {
      const startedAt = performance.now()
      const above = this.#throughRowid
      const through = Math.min(newest, above + step)
      await this.#add(await this.#reader.unfinishedRange({ above, through }))
      this.#throughRowid = through
      const tookMs = performance.now() - startedAt
      step = this.#pace.nextSize(step, tookMs, ROWIDS)
      if (through < newest) await this.#pace.afterSlice(tookMs)
    }
  }

  async #recheck(rows: readonly UnfinishedRow[]): Promise<void> {
    const still = await this.#reader.unfinishedAgain(rows)
    for (const { sessionId, index } of rows) this.#remove(sessionId, index)
    this.#put(still)
  }

  /** Puts rows together with the clear indexes of sessions not known before. */
  async #add(rows: readonly UnfinishedRow[]): Promise<void> {
    const ids = new Set(rows.map(({ sessionId }) => sessionId))
    const added = [...ids].filter((id) => !this.#sessions.has(id))
    const clears = await this.#reader.clearIndexes(added)
    this.#put(rows)
    for (const id of added) this.#setClearIndex(id, clears.get(id) ?? 0)
  }

  #put(rows: readonly UnfinishedRow[]): void {
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

  #remove(sessionId: string, index: number): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    session.rows.delete(index)
    session.counted = null
  }

  #keepOnly(found: ReadonlySet<UnfinishedRow>): void {
    for (const session of this.#sessions.values()) {
      for (const row of session.rows.values()) {
        if (!found.has(row)) session.rows.delete(row.index)
      }
      session.counted = null
    }
  }

  /** Clear indexes only ever go up; sessions without unfinished events are forgotten. */
  async #readClearIndexes(ids = [...this.#sessions.keys()]): Promise<void> {
    for (let from = 0; from < ids.length && !this.#pace.isClosed; from += 2000) {
      const startedAt = performance.now()
      const some = ids.slice(from, from + 2000)
      const clears = await this.#reader.clearIndexes(some)
      for (const id of some) this.#setClearIndex(id, clears.get(id) ?? 0)
      if (from + 2000 < ids.length) await this.#pace.afterSlice(performance.now() - startedAt)
    }
  }

  #setClearIndex(sessionId: string, clearIndex: number): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    if (session.rows.size === 0) this.#sessions.delete(sessionId)
    if (session.clearIndex === clearIndex) return
    session.clearIndex = clearIndex
    session.counted = null
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
