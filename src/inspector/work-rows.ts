import { Column } from './columns.ts'
import type { UnfinishedRow } from './queries/work.ts'
import type { JudgedRow } from './work-counts.ts'

const NONE = -1
const MIN_BUCKETS = 4096
/** Lanes are few, and many rows have the same. Where they are many, no more than these are looked up. */
const MAX_LANES = 5000

/**
 * Unfinished events by columns: as objects a quarter of a million of them takes ten times the memory, and time
 * to look through at each collection. A row has a number while it is here; sessions are numbers of the caller.
 * Times are NaN for null, as is the rowid.
 */
export class WorkRows {
  readonly #index = new Column(Float64Array)
  readonly #rowid = new Column(Float64Array)
  readonly #failedAt = new Column(Float64Array)
  readonly #failureCount = new Column(Float64Array)
  readonly #claimExpiresAt = new Column(Float64Array)
  readonly #laneReady = new Column(Uint8Array)
  readonly #pass = new Column(Uint32Array)
  #lane: (string | null)[] = []
  readonly #lanes = new Map<string, string>()
  /** `NONE`: the number is free, and `next` leads to another free one. */
  readonly #session = new Column(Int32Array)
  /** Rows of the same session. */
  readonly #next = new Column(Int32Array)
  readonly #previous = new Column(Int32Array)
  /** Rows by session and index: the first of each bucket, and the one after each. */
  #buckets = new Int32Array(0)
  readonly #chain = new Column(Int32Array)
  #free = NONE
  readonly #columns = [
    this.#index,
    this.#rowid,
    this.#failedAt,
    this.#failureCount,
    this.#claimExpiresAt,
    this.#laneReady,
    this.#pass,
    this.#session,
    this.#next,
    this.#previous,
    this.#chain,
  ]

  /** No row has a number as high as this. */
  get end(): number {
    return this.#session.length
  }

  sessionOf(row: number): number {
    return this.#session.get(row)
  }

  indexOf(row: number): number {
    return this.#index.get(row)
  }

  laneOf(row: number): string | null {
    return this.#lane[row] ?? null
  }

  /** NaN: it has not failed for good. */
  failedAtOf(row: number): number {
    return this.#failedAt.get(row)
  }

  /** NaN: it is not claimed. */
  claimExpiresAtOf(row: number): number {
    return this.#claimExpiresAt.get(row)
  }

  /** The pass in which the row was put here the last time. */
  passOf(row: number): number {
    return this.#pass.get(row)
  }

  /** The next row of the same session; negative: there is none. */
  after(row: number): number {
    return this.#next.get(row)
  }

  toRow(row: number, sessionId: string): UnfinishedRow {
    return {
      sessionId,
      index: this.indexOf(row),
      rowid: toNullable(this.#rowid.get(row)),
      lane: this.laneOf(row),
      laneReady: this.#laneReady.get(row) === 1,
      failedAt: toNullable(this.failedAtOf(row)),
      failureCount: this.#failureCount.get(row),
      claimExpiresAt: toNullable(this.claimExpiresAtOf(row)),
    }
  }

  /** Only what its state follows from. */
  toJudged(row: number): JudgedRow {
    return {
      index: this.indexOf(row),
      laneReady: this.#laneReady.get(row) === 1,
      failedAt: toNullable(this.failedAtOf(row)),
      failureCount: this.#failureCount.get(row),
      claimExpiresAt: toNullable(this.claimExpiresAtOf(row)),
    }
  }

  /** Negative: it is not here. */
  find(session: number, index: number): number {
    let row = this.#buckets[this.#bucketOf(session, index)] ?? NONE
    while (row >= 0 && !(this.#session.get(row) === session && this.#index.get(row) === index)) {
      row = this.#chain.get(row)
    }
    return row
  }

  /** Adds a row before `first`, the first of its session, or sets the values of one that is here. Returns the session's first row. */
  put(session: number, first: number, values: UnfinishedRow, pass: number): number {
    let row = this.find(session, values.index)
    const isNew = row < 0
    if (isNew) row = this.#take(session, first, values.index)
    this.#rowid.set(row, values.rowid ?? Number.NaN)
    this.#lane[row] = this.#sameLane(values.lane)
    this.#laneReady.set(row, Number(values.laneReady))
    this.#failedAt.set(row, values.failedAt ?? Number.NaN)
    this.#failureCount.set(row, values.failureCount)
    this.#claimExpiresAt.set(row, values.claimExpiresAt ?? Number.NaN)
    this.#pass.set(row, pass)
    return isNew ? row : first
  }

  /** Returns what is now the session's first row; negative: it was the last one. */
  remove(row: number, first: number): number {
    const next = this.#next.get(row)
    const previous = this.#previous.get(row)
    if (previous >= 0) this.#next.set(previous, next)
    if (next >= 0) this.#previous.set(next, previous)
    this.#unchain(row)
    this.#session.set(row, NONE)
    this.#lane[row] = null
    this.#next.set(row, this.#free)
    this.#free = row
    return row === first ? next : first
  }

  #take(session: number, first: number, index: number): number {
    if (this.#free < 0) this.#grow()
    const row = this.#free
    this.#free = this.#next.get(row)
    this.#session.set(row, session)
    this.#index.set(row, index)
    this.#next.set(row, first)
    this.#previous.set(row, NONE)
    if (first >= 0) this.#previous.set(first, row)
    this.#enchain(row)
    return row
  }

  #enchain(row: number): void {
    const bucket = this.#bucketOf(this.#session.get(row), this.#index.get(row))
    this.#chain.set(row, this.#buckets[bucket]!)
    this.#buckets[bucket] = row
  }

  #unchain(row: number): void {
    const bucket = this.#bucketOf(this.#session.get(row), this.#index.get(row))
    let at = this.#buckets[bucket]!
    if (at === row) {
      this.#buckets[bucket] = this.#chain.get(row)
      return
    }
    while (this.#chain.get(at) !== row) at = this.#chain.get(at)
    this.#chain.set(at, this.#chain.get(row))
  }

  /** The number of buckets is a power of two. An index is any number, where tables are foreign. */
  #bucketOf(session: number, index: number): number {
    const mixed = Math.imul(session + 1, 0x9e3779b1) ^ Math.imul(Math.trunc(index) | 0, 0x85ebca6b)
    return ((mixed ^ (mixed >>> 15)) >>> 0) & (this.#buckets.length - 1)
  }

  #grow(): void {
    const before = this.#session.length
    for (const column of this.#columns) column.grow()
    for (let row = this.#session.length - 1; row >= before; row -= 1) {
      this.#session.set(row, NONE)
      this.#next.set(row, this.#free)
      this.#free = row
    }
    this.#spread(before)
  }

  /** All rows below `end`, over at least as many buckets as there are rows. */
  #spread(end: number): void {
    let buckets = Math.max(MIN_BUCKETS, this.#buckets.length)
    while (buckets < this.#session.length) buckets *= 2
    if (buckets === this.#buckets.length) return
    this.#buckets = new Int32Array(buckets).fill(NONE)
    for (let row = 0; row < end; row += 1) if (this.sessionOf(row) >= 0) this.#enchain(row)
  }

  /** One string for all rows of a lane. */
  #sameLane(lane: string | null): string | null {
    if (lane === null) return null
    const same = this.#lanes.get(lane)
    if (same !== undefined) return same
    if (this.#lanes.size >= MAX_LANES) this.#lanes.clear()
    this.#lanes.set(lane, lane)
    return lane
  }
}

function toNullable(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
