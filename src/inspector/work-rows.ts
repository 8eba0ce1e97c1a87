import { grown } from './columns.ts'
import type { UnfinishedRow } from './queries/work.ts'
import type { JudgedRow } from './work-counts.ts'

const NONE = -1
const MIN_ROWS = 256
/** Lanes are few, and many rows have the same. Where they are many, no more than these are looked up. */
const MAX_LANES = 5000

/**
 * Unfinished events by columns: as objects a quarter of a million of them takes ten times the memory, and time
 * to look through at each collection. A row has a number while it is here; sessions are numbers of the caller.
 * Times are NaN for null, as is the rowid.
 */
export class WorkRows {
  #capacity = 0
  #index = new Float64Array(0)
  #rowid = new Float64Array(0)
  #failedAt = new Float64Array(0)
  #failureCount = new Float64Array(0)
  #claimExpiresAt = new Float64Array(0)
  #laneReady = new Uint8Array(0)
  #pass = new Uint32Array(0)
  #lane: (string | null)[] = []
  readonly #lanes = new Map<string, string>()
  /** `NONE`: the number is free, and `next` leads to another free one. */
  #session = new Int32Array(0)
  /** Rows of the same session. */
  #next = new Int32Array(0)
  #previous = new Int32Array(0)
  /** Rows by session and index: the first of each bucket, and the one after each. */
  #buckets = new Int32Array(0)
  #chain = new Int32Array(0)
  #free = NONE

  /** No row has a number as high as this. */
  get end(): number {
    return this.#capacity
  }

  sessionOf(row: number): number {
    return this.#session[row]!
  }

  indexOf(row: number): number {
    return this.#index[row]!
  }

  laneOf(row: number): string | null {
    return this.#lane[row] ?? null
  }

  /** NaN: it has not failed for good. */
  failedAtOf(row: number): number {
    return this.#failedAt[row]!
  }

  /** NaN: it is not claimed. */
  claimExpiresAtOf(row: number): number {
    return this.#claimExpiresAt[row]!
  }

  /** The pass in which the row was put here the last time. */
  passOf(row: number): number {
    return this.#pass[row]!
  }

  /** The next row of the same session; negative: there is none. */
  after(row: number): number {
    return this.#next[row]!
  }

  toRow(row: number, sessionId: string): UnfinishedRow {
    return {
      sessionId,
      index: this.indexOf(row),
      rowid: toNullable(this.#rowid[row]!),
      lane: this.laneOf(row),
      laneReady: this.#laneReady[row] === 1,
      failedAt: toNullable(this.failedAtOf(row)),
      failureCount: this.#failureCount[row]!,
      claimExpiresAt: toNullable(this.claimExpiresAtOf(row)),
    }
  }

  /** Only what its state follows from. */
  toJudged(row: number): JudgedRow {
    return {
      index: this.indexOf(row),
      laneReady: this.#laneReady[row] === 1,
      failedAt: toNullable(this.failedAtOf(row)),
      failureCount: this.#failureCount[row]!,
      claimExpiresAt: toNullable(this.claimExpiresAtOf(row)),
    }
  }

  /** Negative: it is not here. */
  find(session: number, index: number): number {
    let row = this.#buckets[this.#bucketOf(session, index)] ?? NONE
    while (row >= 0 && !(this.#session[row] === session && this.#index[row] === index)) {
      row = this.#chain[row]!
    }
    return row
  }

  /** Adds a row before `first`, the first of its session, or sets the values of one that is here. Returns the session's first row. */
  put(session: number, first: number, values: UnfinishedRow, pass: number): number {
    let row = this.find(session, values.index)
    const isNew = row < 0
    if (isNew) row = this.#take(session, first, values.index)
    this.#rowid[row] = values.rowid ?? Number.NaN
    this.#lane[row] = this.#sameLane(values.lane)
    this.#laneReady[row] = Number(values.laneReady)
    this.#failedAt[row] = values.failedAt ?? Number.NaN
    this.#failureCount[row] = values.failureCount
    this.#claimExpiresAt[row] = values.claimExpiresAt ?? Number.NaN
    this.#pass[row] = pass
    return isNew ? row : first
  }

  /** Returns what is now the session's first row; negative: it was the last one. */
  remove(row: number, first: number): number {
    const next = this.#next[row]!
    const previous = this.#previous[row]!
    if (previous >= 0) this.#next[previous] = next
    if (next >= 0) this.#previous[next] = previous
    this.#unchain(row)
    this.#session[row] = NONE
    this.#lane[row] = null
    this.#next[row] = this.#free
    this.#free = row
    return row === first ? next : first
  }

  #take(session: number, first: number, index: number): number {
    if (this.#free < 0) this.#grow()
    const row = this.#free
    this.#free = this.#next[row]!
    this.#session[row] = session
    this.#index[row] = index
    this.#next[row] = first
    this.#previous[row] = NONE
    if (first >= 0) this.#previous[first] = row
    this.#enchain(row)
    return row
  }

  #enchain(row: number): void {
    const bucket = this.#bucketOf(this.#session[row]!, this.#index[row]!)
    this.#chain[row] = this.#buckets[bucket]!
    this.#buckets[bucket] = row
  }

  #unchain(row: number): void {
    const bucket = this.#bucketOf(this.#session[row]!, this.#index[row]!)
    let at = this.#buckets[bucket]!
    if (at === row) {
      this.#buckets[bucket] = this.#chain[row]!
      return
    }
    while (this.#chain[at] !== row) at = this.#chain[at]!
    this.#chain[at] = this.#chain[row]!
  }

  /** The number of buckets is a power of two. An index is any number, where tables are foreign. */
  #bucketOf(session: number, index: number): number {
    const mixed = Math.imul(session + 1, 0x9e3779b1) ^ Math.imul(Math.trunc(index) | 0, 0x85ebca6b)
    return ((mixed ^ (mixed >>> 15)) >>> 0) & (this.#buckets.length - 1)
  }

  #grow(): void {
    const before = this.#capacity
    const capacity = Math.max(MIN_ROWS, Math.ceil(before * 1.5))
    this.#capacity = capacity
    this.#index = grown(this.#index, new Float64Array(capacity))
    this.#rowid = grown(this.#rowid, new Float64Array(capacity))
    this.#failedAt = grown(this.#failedAt, new Float64Array(capacity))
    this.#failureCount = grown(this.#failureCount, new Float64Array(capacity))
    this.#claimExpiresAt = grown(this.#claimExpiresAt, new Float64Array(capacity))
    this.#laneReady = grown(this.#laneReady, new Uint8Array(capacity))
    this.#pass = grown(this.#pass, new Uint32Array(capacity))
    this.#session = grown(this.#session, new Int32Array(capacity).fill(NONE, before))
    this.#next = grown(this.#next, new Int32Array(capacity))
    this.#previous = grown(this.#previous, new Int32Array(capacity))
    this.#chain = grown(this.#chain, new Int32Array(capacity))
    for (let row = capacity - 1; row >= before; row -= 1) {
      this.#next[row] = this.#free
      this.#free = row
    }
    this.#spread(before)
  }

  #spread(rows: number): void {
    let buckets = Math.max(MIN_ROWS, this.#buckets.length)
    while (buckets < this.#capacity) buckets *= 2
    if (buckets === this.#buckets.length) return
    this.#buckets = new Int32Array(buckets).fill(NONE)
    for (let row = 0; row < rows; row += 1) if (this.#session[row]! >= 0) this.#enchain(row)
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
