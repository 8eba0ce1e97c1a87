import type { WorkCounts } from '../model/session.ts'
import type { Pace } from './pace.ts'
import type { KnownWork } from './queries/lane.ts'
import type { UnfinishedRow, WorkKey } from './queries/work.ts'
import type { Capabilities, Reader } from './reader.ts'
import { openLocalScans } from './scans/scan-reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import type { DeadList } from './dead-list.ts'
import type { WorkState } from './work-counts.ts'
import { type WorkMark, WorkTable } from './work-table.ts'

const ROWIDS = { min: 500, max: 2_000_000 }
const BLOCKS = { min: 8, max: 2800 }
const KEYS = { min: 200, max: 50_000 }
/** New rows that may be looked at within a request. */
const MAX_NEW_ROWS = 5000
/** More at once take no less time each, and memory for all of them. */
const RECHECK = { min: 200, max: 8000 }
/** Looking at the known rows of one session takes at most this share of the time, however often it is asked for. */
const RECHECK_SHARE = 0.1
/** No table has so many rows: where numbers go further, most of them are no row's. */
const MAX_WALKED_ROWIDS = 10_000_000_000

type Questions = Pick<ScanReader, 'unfinishedAgain' | 'clearIndexes'>

/** All unfinished events, kept in memory: found by one pass in slices, then kept up to date. */
export class WorkIndex implements KnownWork {
  readonly #reader: Reader
  readonly #pace: Pace
  readonly #scans: ScanReader
  readonly #sameId: (id: string) => string
  #table: WorkTable
  #isComplete = false
  #countedAt: number | null = null
  #progress = 0
  #throughRowid = 0
  #rechecked = { sessionId: '', restUntil: 0 }

  /**
   * `scans`: where the pass runs; single sessions are always looked at by `reader`. `sameId`: the string that
   * others keep for the same id, so that it is kept once.
   */
  constructor(
    reader: Reader,
    pace: Pace,
    scans = openLocalScans(reader, pace),
    sameId: (id: string) => string = (id) => id,
  ) {
    this.#reader = reader
    this.#pace = pace
    this.#scans = scans
    this.#sameId = sameId
    this.#table = this.#makeTable()
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
    this.#table = this.#makeTable()
    this.#isComplete = false
    this.#countedAt = null
    this.#progress = 0
    this.#throughRowid = 0
    this.#rechecked = { sessionId: '', restUntil: 0 }
  }

  /** Finds everything, or re-checks what is known and adds what is new. */
  async bringUpToDate(onProgress: () => void): Promise<void> {
    const capabilities = await this.#scans.capabilities()
    const startedAt = this.#reader.now()
    const stamp = this.#isComplete ? null : this.#reader.stamp()
    if (!this.#isComplete || !capabilities.hasRowids) {
      await this.#findAll(capabilities, onProgress)
    }
    // Nothing was written during the pass: what it found holds.
    const isStill = stamp !== null && stamp === this.#reader.stamp()
    if (capabilities.hasRowids && !isStill) await this.#refresh(capabilities, onProgress)
    if (this.#pace.isClosed) return
    await this.#readClearIndexes(this.#scans)
    this.#isComplete = true
    this.#countedAt = startedAt
    onProgress()
  }

  /** Brings one session up to date after something was done to it. */
  async updateSession(sessionId: string): Promise<void> {
    await this.#recheck(this.#table.rowsOf(sessionId), this.#reader)
    await this.#readClearIndexes(this.#reader, [sessionId])
  }

  /**
   * One session's counts as of now; null when too much is new, or nothing is known yet. Asked for again and
   * again, what became of many known events follows a moment later; new ones are counted at once.
   */
  async countNow(sessionId: string): Promise<WorkCounts | null> {
    const { hasRowids } = await this.#reader.capabilities()
    if (!this.#isComplete || !hasRowids) return null
    const above = this.#throughRowid
    const { rowid: through } = await this.#reader.tip()
    if (through - above > MAX_NEW_ROWS) return null
    await this.#add(await this.#reader.unfinishedRange({ above, through }), this.#reader)
    this.#throughRowid = Math.max(this.#throughRowid, through)
    await this.#recheckSession(sessionId)
    return this.countsOf(sessionId)
  }

  async #recheckSession(sessionId: string): Promise<void> {
    const last = this.#rechecked
    const startedAt = performance.now()
    if (last.sessionId === sessionId && startedAt < last.restUntil) return
    await this.updateSession(sessionId)
    const endedAt = performance.now()
    const restMs = (endedAt - startedAt) * (1 / RECHECK_SHARE - 1)
    this.#rechecked = { sessionId, restUntil: endedAt + restMs }
  }

  /** null: not counted yet. */
  countsOf(sessionId: string): WorkCounts | null {
    return this.#isComplete ? this.#table.countsOf(sessionId) : null
  }

  /** By number what `countOf` says; negative: no unfinished events are known. It holds until the next await. */
  numberOf(sessionId: string): number {
    return this.#table.numberOf(sessionId)
  }

  /** Of a session by its number, as far as it is known. */
  countOf(session: number, state: WorkState): number {
    return this.#table.countOf(session, state)
  }

  /** The same as long as no count has changed, other than by the time. */
  isSame(known: WorkMark): boolean {
    return this.#table.isSame(known)
  }

  /** What is known now, for `isSame`. */
  mark(): WorkMark {
    return this.#table.mark()
  }

  /** Live dead letters, as far as they are known. */
  countDead(): number {
    return this.#table.countDead()
  }

  /** Live dead letters as far as they are known, newest failure first. */
  dead(): DeadList {
    return this.#table.dead()
  }

  laneIndexes(sessionId: string, lane: string): readonly number[] | null {
    return this.#isComplete ? this.#table.laneIndexes(sessionId, lane) : null
  }

  sessionIndexes(sessionId: string): readonly number[] | null {
    return this.#isComplete ? this.#table.sessionIndexes(sessionId) : null
  }

  async #findAll(capabilities: Capabilities, onProgress: () => void): Promise<void> {
    if (capabilities.hasWorkIndex) await this.#walkKeys(capabilities, onProgress)
    else if (capabilities.hasRowids) await this.#walkRows(capabilities, onProgress)
    else if (capabilities.hasBlocks) await this.#walkBlocks(onProgress)
    else await this.#walkKeys(capabilities, onProgress)
  }

  async #walkRows(capabilities: Capabilities, onProgress: () => void): Promise<void> {
    const { rowid: newest } = await this.#scans.tip()
    if (newest > MAX_WALKED_ROWIDS) await this.#walkKeys(capabilities, onProgress)
    else await this.#walkRowids(newest, onProgress)
  }

  /** Newest first, so that the newest dead letters are known at once. */
  async #walkRowids(newest: number, onProgress: () => void): Promise<void> {
    this.#throughRowid = newest
    let size = 5000
    let through = newest
    while (through > 0 && !this.#pace.isClosed) {
      const before = this.#scans.spentMs
      const above = Math.max(0, through - size)
      await this.#add(await this.#scans.unfinishedRange({ above, through }), this.#scans)
      through = above
      this.#progress = 1 - through / newest
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, ROWIDS)
      await this.#scans.rest(tookMs)
      onProgress()
    }
  }

  /** A row that is written to while this goes on may move to where it was looked already: known ones are looked up. */
  async #walkBlocks(onProgress: () => void): Promise<void> {
    this.#table.beginPass()
    const { rowid: blocks } = await this.#scans.tip()
    let size = 64
    let through = blocks
    while (through > 0 && !this.#pace.isClosed) {
      const before = this.#scans.spentMs
      const above = Math.max(0, through - size)
      await this.#add(await this.#scans.unfinishedRange({ above, through }), this.#scans)
      through = above
      this.#progress = 1 - through / blocks
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, BLOCKS)
      await this.#scans.rest(tookMs)
      onProgress()
    }
    await this.#recheckAll((from, to) => this.#table.unseenBetween(from, to))
  }

  async #walkKeys({ hasRowids }: Capabilities, onProgress: () => void): Promise<void> {
    this.#table.beginPass()
    if (hasRowids) this.#throughRowid = (await this.#scans.tip()).rowid
    let after: WorkKey | null = null
    let size = 1000
    do {
      const before = this.#scans.spentMs
      const step = await this.#scans.unfinishedStep(after, size)
      if (this.#pace.isClosed) return
      await this.#add(step.rows, this.#scans)
      after = step.next
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, KEYS)
      if (after !== null) await this.#scans.rest(tookMs)
      onProgress()
    } while (after !== null)
    this.#table.keepSeen()
  }

  /** `rows`: those to look at again, of the rows with these numbers. */
  async #recheckAll(rows: (from: number, to: number) => UnfinishedRow[]): Promise<void> {
    let size = 2000
    const end = this.#table.rowsEnd
    for (let from = 0; from < end && !this.#pace.isClosed;) {
      const before = this.#scans.spentMs
      const known = rows(from, Math.min(end, from + size))
      from += size
      if (known.length === 0) continue
      await this.#recheck(known, this.#scans)
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, RECHECK)
      await this.#scans.rest(tookMs)
    }
  }

  async #refresh(capabilities: Capabilities, onProgress: () => void): Promise<void> {
    await this.#recheckAll((from, to) => this.#table.rowsBetween(from, to))
    const { rowid: newest } = await this.#scans.tip()
    if (newest - this.#throughRowid > MAX_WALKED_ROWIDS) {
      return this.#walkKeys(capabilities, onProgress)
    }
    let step = 20_000
    while (this.#throughRowid < newest && !this.#pace.isClosed) {
      const before = this.#scans.spentMs
      const above = this.#throughRowid
      const through = Math.min(newest, above + step)
      await this.#add(await this.#scans.unfinishedRange({ above, through }), this.#scans)
      this.#throughRowid = through
      const tookMs = this.#scans.spentMs - before
      step = this.#pace.nextSize(step, tookMs, ROWIDS)
      if (through < newest) await this.#scans.rest(tookMs)
    }
  }

  async #recheck(rows: readonly UnfinishedRow[], from: Questions): Promise<void> {
    const again = await from.unfinishedAgain(rows)
    const changed: UnfinishedRow[] = []
    for (const [n, row] of rows.entries()) {
      const now = again[n] ?? null
      if (now === null) this.#table.remove(row)
      else if (now !== row) changed.push(now)
    }
    this.#table.put(changed)
  }

  /** Puts rows together with the clear indexes of sessions not known before. */
  async #add(rows: readonly UnfinishedRow[], from: Questions): Promise<void> {
    const ids = new Set(rows.map(({ sessionId }) => sessionId))
    const added = [...ids].filter((id) => !this.#table.has(id))
    const clears = await from.clearIndexes(added)
    this.#table.put(rows)
    for (const id of added) this.#table.setClearIndex(id, clears.get(id) ?? 0)
  }

  /** Clear indexes only ever go up; sessions without unfinished events are forgotten. */
  async #readClearIndexes(from: Questions, ids = this.#table.sessionIds()): Promise<void> {
    for (let first = 0; first < ids.length && !this.#pace.isClosed; first += 2000) {
      const before = this.#scans.spentMs
      const some = ids.slice(first, first + 2000)
      const clears = await from.clearIndexes(some)
      for (const id of some) this.#table.setClearIndex(id, clears.get(id) ?? 0)
      if (first + 2000 < ids.length) await this.#scans.rest(this.#scans.spentMs - before)
    }
  }

  #makeTable(): WorkTable {
    return new WorkTable({ now: () => this.#reader.now(), sameId: this.#sameId })
  }
}
