import { NO_WORK, type WorkCounts } from '../model/session.ts'
import { DeadList } from './dead-list.ts'
import type { UnfinishedRow } from './queries/work.ts'
import { sortNumbers } from './sort-numbers.ts'
import { CountColumns, stateOf, type WorkState } from './work-counts.ts'
import { Column, NumberList } from './columns.ts'
import { WorkRows } from './work-rows.ts'

const NONE = -1

interface TableOptions {
  readonly now: () => number
  /** The string others keep for the same id, if they do. */
  readonly sameId: (id: string) => string
}

export interface WorkMark {
  readonly table: WorkTable
  readonly changes: number
  /** Until when all counts that were asked for hold by the time, epoch ms. */
  readonly holdUntil: number
}

interface LaneIndexes {
  readonly indexes: number[]
  isSorted: boolean
}

/** Unfinished events by session, in memory. Events at or below a session's clear index are kept, but never counted. */
export class WorkTable {
  readonly #options: TableOptions
  readonly #rows = new WorkRows()
  readonly #numbers = new Map<string, number>()
  /** By a session's number; empty where the number is free. */
  readonly #ids: string[] = []
  readonly #free: number[] = []
  readonly #firstRow = new Column(Int32Array)
  readonly #clearIndex = new Column(Float64Array)
  /** Counted lazily; valid until a row changes or a claim expires. */
  readonly #counts = new CountColumns()
  #dead: DeadList | null = null
  /** By a session's number, of those that were asked for since the last change. */
  readonly #lanes = new Map<number, Map<string, LaneIndexes>>()
  #lanesAt = 0
  #pass = 0
  #changes = 0

  constructor(options: TableOptions) {
    this.#options = options
  }

  /** The same as long as no count has changed, other than by the time. */
  isSame(known: WorkMark): boolean {
    return known.table === this && known.changes === this.#changes
  }

  /** What is known now, for `isSame`. */
  mark(): WorkMark {
    const holdUntil = this.#counts.holdUntil(this.#ids.length)
    return { table: this, changes: this.#changes, holdUntil }
  }

  has(sessionId: string): boolean {
    return this.#numbers.has(sessionId)
  }

  sessionIds(): string[] {
    return [...this.#numbers.keys()]
  }

  /** Where the numbers of rows end; each below is a row's, or nobody's. */
  get rowsEnd(): number {
    return this.#rows.end
  }

  /** The rows with these numbers: of `from` up to `to`, without it. */
  rowsBetween(from: number, to: number): UnfinishedRow[] {
    return this.#pick(from, to, () => true)
  }

  /** The same, but only rows that were not put here since the pass began. */
  unseenBetween(from: number, to: number): UnfinishedRow[] {
    return this.#pick(from, to, (row) => this.#rows.passOf(row) !== this.#pass)
  }

  rowsOf(sessionId: string): UnfinishedRow[] {
    const session = this.#numbers.get(sessionId)
    if (session === undefined) return []
    const id = this.#ids[session]!
    return Array.from(this.#rowsOf(session), (row) => this.#rows.toRow(row, id))
  }

  /** From now on each row that is put here counts as seen. */
  beginPass(): void {
    this.#pass += 1
  }

  /** Adds rows, or puts them in the place of older values. */
  put(rows: readonly UnfinishedRow[]): void {
    if (rows.length > 0) this.#changes += 1
    for (const row of rows) {
      const session = this.#numbers.get(row.sessionId) ?? this.#addSession(row.sessionId)
      if (row.failedAt !== null) this.#dead = null
      const first = this.#rows.put(session, this.#firstRow.get(session), row, this.#pass)
      this.#firstRow.set(session, first)
      this.#counts.forget(session)
    }
  }

  remove({ sessionId, index }: UnfinishedRow): void {
    const session = this.#numbers.get(sessionId)
    if (session === undefined) return
    const row = this.#rows.find(session, index)
    if (row >= 0) this.#remove(row, session)
  }

  /** Forgets all rows that were not put here since the pass began. */
  keepSeen(): void {
    for (let row = 0; row < this.#rows.end; row += 1) {
      const session = this.#rows.sessionOf(row)
      if (session >= 0 && this.#rows.passOf(row) !== this.#pass) this.#remove(row, session)
    }
  }

  /** Forgets a session without unfinished events. */
  setClearIndex(sessionId: string, clearIndex: number): void {
    const session = this.#numbers.get(sessionId)
    if (session === undefined) return
    if (this.#firstRow.get(session) < 0) {
      this.#changes += 1
      this.#numbers.delete(sessionId)
      this.#ids[session] = ''
      this.#free.push(session)
    } else if (this.#clearIndex.get(session) !== clearIndex) {
      this.#changes += 1
      this.#clearIndex.set(session, clearIndex)
      this.#counts.forget(session)
      this.#dead = null
    }
  }

  countsOf(sessionId: string): WorkCounts {
    const session = this.#numbers.get(sessionId)
    return session === undefined ? NO_WORK : this.#counted(session).read(session)
  }

  /** By number what `countOf` says; negative: it has no unfinished events. The number holds until something is put here or removed. */
  numberOf(sessionId: string): number {
    return this.#numbers.get(sessionId) ?? NONE
  }

  countOf(session: number, state: WorkState): number {
    return this.#counted(session).count(session, state)
  }

  /** Live dead letters. */
  countDead(): number {
    if (this.#dead !== null) return this.#dead.length
    let dead = 0
    for (let row = 0; row < this.#rows.end; row += 1) if (this.#isDead(row)) dead += 1
    return dead
  }

  /** Live dead letters, newest failure first. */
  dead(): DeadList {
    this.#dead ??= this.#listDead()
    return this.#dead
  }

  /** Live events of a lane, ascending. */
  laneIndexes(sessionId: string, lane: string): readonly number[] {
    const session = this.#numbers.get(sessionId)
    const found = session === undefined ? undefined : this.#lanesOf(session).get(lane)
    if (found === undefined) return []
    if (!found.isSorted) found.indexes.sort((a, b) => a - b)
    found.isSorted = true
    return found.indexes
  }

  /** Live events of all lanes and of none, ascending. */
  sessionIndexes(sessionId: string): number[] {
    const session = this.#numbers.get(sessionId)
    if (session === undefined) return []
    const indexes: number[] = []
    for (const row of this.#rowsOf(session)) {
      if (this.#isLive(row, session)) indexes.push(this.#rows.indexOf(row))
    }
    return indexes.toSorted((a, b) => a - b)
  }

  /** All lanes at once: a page asks for each of its lanes, and a stuck session has very many events. */
  #lanesOf(session: number): Map<string, LaneIndexes> {
    if (this.#lanesAt !== this.#changes) this.#lanes.clear()
    this.#lanesAt = this.#changes
    const known = this.#lanes.get(session)
    if (known !== undefined) return known
    const lanes = new Map<string, LaneIndexes>()
    for (const row of this.#rowsOf(session)) {
      const lane = this.#rows.laneOf(row)
      if (lane === null || !this.#isLive(row, session)) continue
      const index = this.#rows.indexOf(row)
      const found = lanes.get(lane)
      if (found === undefined) lanes.set(lane, { indexes: [index], isSorted: false })
      else found.indexes.push(index)
    }
    this.#lanes.set(session, lanes)
    return lanes
  }

  #isLive(row: number, session: number): boolean {
    return this.#rows.indexOf(row) > this.#clearIndex.get(session)
  }

  #isDead(row: number): boolean {
    const session = this.#rows.sessionOf(row)
    if (session < 0 || Number.isNaN(this.#rows.failedAtOf(row))) return false
    return this.#isLive(row, session)
  }

  *#rowsOf(session: number): Generator<number, undefined> {
    for (let row = this.#firstRow.get(session); row >= 0; row = this.#rows.after(row)) yield row
  }

  #pick(from: number, to: number, isWanted: (row: number) => boolean): UnfinishedRow[] {
    const rows: UnfinishedRow[] = []
    for (let row = from; row < Math.min(to, this.#rows.end); row += 1) {
      const session = this.#rows.sessionOf(row)
      if (session >= 0 && isWanted(row)) rows.push(this.#rows.toRow(row, this.#ids[session]!))
    }
    return rows
  }

  #remove(row: number, session: number): void {
    this.#changes += 1
    if (!Number.isNaN(this.#rows.failedAtOf(row))) this.#dead = null
    this.#firstRow.set(session, this.#rows.remove(row, this.#firstRow.get(session)))
    this.#counts.forget(session)
  }

  #addSession(sessionId: string): number {
    const session = this.#free.pop() ?? this.#ids.length
    if (session >= this.#firstRow.length) this.#grow()
    const id = this.#options.sameId(sessionId)
    this.#ids[session] = id
    this.#numbers.set(id, session)
    this.#firstRow.set(session, NONE)
    this.#clearIndex.set(session, 0)
    this.#counts.forget(session)
    return session
  }

  #grow(): void {
    this.#firstRow.grow()
    this.#clearIndex.grow()
    this.#counts.grow()
  }

  #listDead(): DeadList {
    const rows = this.#rows
    const found = new NumberList()
    for (let row = 0; row < rows.end; row += 1) if (this.#isDead(row)) found.push(row)
    const order = sortNumbers(
      found.values(),
      (a, b) => rows.failedAtOf(b) - rows.failedAtOf(a) || rows.indexOf(b) - rows.indexOf(a),
    )
    return new DeadList(
      Array.from({ length: order.length }, (_, n) => this.#ids[rows.sessionOf(order[n]!)]!),
      Float64Array.from({ length: order.length }, (_, n) => rows.indexOf(order[n]!)),
      Array.from({ length: order.length }, (_, n) => rows.laneOf(order[n]!)),
    )
  }

  #counted(session: number): CountColumns {
    if (this.#counts.isSteady(session)) return this.#counts
    const now = this.#options.now()
    if (!this.#counts.isCounted(session, now)) this.#count(session, now)
    return this.#counts
  }

  #count(session: number, now: number): void {
    const rows = this.#rows
    const at = { clearIndex: this.#clearIndex.get(session), now }
    this.#counts.begin(session)
    for (let row = this.#firstRow.get(session); row >= 0; row = rows.after(row)) {
      const state = stateOf(rows.toJudged(row), at)
      if (state !== null) this.#counts.add(session, state)
      const expiresAt = rows.claimExpiresAtOf(row)
      if (expiresAt > now) this.#counts.limit(session, expiresAt)
    }
  }
}
