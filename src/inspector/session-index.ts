import { NumberList } from './columns.ts'
import type { Pace } from './pace.ts'
import type { RowPosition } from './queries/position.ts'
import type { SessionCursor } from './queries/sessions.ts'
import type { Reader } from './reader.ts'
import { openLocalScans } from './scans/scan-reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import { SessionTable } from './session-table.ts'

const PAGE = { min: 25, max: 1000 }
/** More new rows than this: listing everything anew is cheaper than following them. */
const MAX_FOLLOWED_ROWS = 100_000
const FOLLOW_ROWS = 5000
const RECENT = { maxRows: 20_000, maxSessions: 100 }

/** In the place of a number: before all sessions, and nowhere. */
const FIRST = -1
const UNLISTED = -2

type Questions = Pick<ScanReader, 'listed' | 'predecessors'>

/** All sessions of the database, kept in memory: listed in the background, then kept up to date. */
export class SessionIndex {
  readonly #reader: Reader
  readonly #pace: Pace
  readonly #scans: ScanReader
  #table = new SessionTable()
  /** Numbers in the database's order; only those the listing has reached. Forgotten ones may be among them. */
  #order: Uint32Array = new Uint32Array(0)
  #isComplete = false
  #position: RowPosition | null = null
  /** The newest row whose session is known by a walk. */
  #walkedRowid: number | null = null

  /** `scans`: where the listing runs; single sessions are always looked up by `reader`. */
  constructor(reader: Reader, pace: Pace, scans = openLocalScans(reader, pace)) {
    this.#reader = reader
    this.#pace = pace
    this.#scans = scans
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  get size(): number {
    return this.#table.size
  }

  /** What is known of the sessions, by their numbers. These hold until the next await. */
  get table(): SessionTable {
    return this.#table
  }

  /** The string that is kept for this id. */
  sameId(id: string): string {
    return this.#table.sameId(id)
  }

  /** Numbers in the database's order; sessions the listing has not reached yet come last. */
  inOrder(): Uint32Array {
    const table = this.#table
    const order = new NumberList(table.size)
    for (const number of this.#order) if (table.isThere(number)) order.push(number)
    if (order.length < table.size) {
      for (let number = 0; number < table.end; number += 1) {
        if (table.isThere(number) && !table.isPlaced(number)) order.push(number)
      }
    }
    return order.values()
  }

  reset(): void {
    this.#table = new SessionTable()
    this.#order = new Uint32Array(0)
    this.#isComplete = false
    this.#position = null
    this.#walkedRowid = null
  }

  /** The sessions of the newest rows, at once; of the rows since the last time, when there was one. */
  async addRecent(): Promise<void> {
    const { hasRowids } = await this.#reader.capabilities()
    if (!hasRowids) return this.update(await this.#reader.recentSessions(RECENT))
    const walked = this.#walkedRowid
    this.#walkedRowid = (await this.#reader.tip()).rowid
    if (walked === null || this.#walkedRowid - walked > FOLLOW_ROWS) {
      return this.update(await this.#reader.recentSessions(RECENT))
    }
    const { ids } = await this.#reader.touchedSessions(walked, FOLLOW_ROWS)
    if (ids.length > 0) await this.update(ids)
  }

  /** Brings the listed values of these sessions up to date. */
  async update(ids: readonly string[], from: Questions = this.#reader): Promise<void> {
    const listed = await from.listed(ids)
    const present = new Set(listed.map(({ id }) => id))
    for (const id of ids) if (!present.has(id)) this.#forget(id)
    const numbers = listed.map((session) => this.#table.put(session))
    if (!this.#isComplete) return
    const isUnplaced = (_: unknown, n: number): boolean => !this.#table.isPlaced(numbers[n]!)
    await this.#place(
      listed.filter(isUnplaced).map(({ id }) => id),
      from,
    )
  }

  /** Lists everything, or follows what was appended since. */
  async bringUpToDate(onProgress: () => void): Promise<void> {
    if (this.#isComplete && this.#table.isWorthRenewing) this.#renew()
    const { hasRowids } = await this.#scans.capabilities()
    const position = this.#position
    if (this.#isComplete && hasRowids && position !== null) {
      const tip = await this.#scans.tip()
      if (tip.rowid - position.rowid <= MAX_FOLLOWED_ROWS) return this.#follow(position.rowid, tip)
    }
    const before = hasRowids ? await this.#scans.tip() : null
    await this.#listAll(onProgress)
    if (before !== null) await this.#follow(before.rowid, before)
  }

  async #listAll(onProgress: () => void): Promise<void> {
    const table = this.#table
    const order = new NumberList()
    const isFirst = !this.#isComplete
    if (isFirst) this.#setOrder(order.values())
    let cursor: SessionCursor | null = null
    let size = 50
    do {
      const before = this.#scans.spentMs
      const page = await this.#scans.sessionPage(cursor, size)
      if (this.#pace.isClosed) return
      for (const session of page.sessions) {
        const number = table.put(session)
        order.push(number)
        if (isFirst) table.setPlaced(number)
      }
      if (isFirst) this.#order = order.values()
      cursor = page.next
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, PAGE)
      if (cursor !== null) await this.#scans.rest(tookMs)
      onProgress()
    } while (cursor !== null)
    this.#setOrder(order.values().slice())
    this.#dropUnlisted()
    this.#isComplete = true
    onProgress()
  }

  /** Sessions that were known but are no longer listed; those seen just now by their newest row are new. */
  #dropUnlisted(): void {
    const table = this.#table
    for (let n = 0; n < table.end; n += 1) if (!table.isPlaced(n)) table.forget(n)
  }

  /** What vanished leaves its number behind. */
  #renew(): void {
    const before = this.#table
    const order = this.inOrder()
    this.#table = new SessionTable()
    this.#setOrder(order.map((number) => this.#table.put(before.get(number))))
  }

  async #follow(afterRowid: number, tip: RowPosition): Promise<void> {
    let after = afterRowid
    for (;;) {
      const before = this.#scans.spentMs
      const touched = await this.#scans.touchedSessions(after, FOLLOW_ROWS)
      if (this.#pace.isClosed) return
      if (touched.ids.length > 0) await this.update(touched.ids, this.#scans)
      after = touched.throughRowid
      if (!touched.isMore) break
      await this.#scans.rest(this.#scans.spentMs - before)
    }
    this.#position = { ...tip, rowid: after }
  }

  #forget(id: string): void {
    const number = this.#table.numberOf(id)
    if (number === undefined || !this.#table.forget(number)) return
    this.#order = this.#order.filter((other) => other !== number)
  }

  /** Puts new ids where the database's order has them; only the database compares ids. */
  async #place(ids: readonly string[], from: Questions): Promise<void> {
    if (ids.length === 0) return
    const before = await from.predecessors(ids)
    const after = this.#followers(ids, before)
    const order = new NumberList()
    const push = (number: number): void => {
      const pending = [number]
      while (pending.length > 0) {
        const next = pending.pop()!
        if (next >= 0) order.push(next)
        pending.push(...(after.get(next) ?? []))
        after.delete(next)
      }
    }
    push(FIRST)
    for (const number of this.#order) push(number)
    // An id whose predecessor is not listed cannot be placed: list it last until the next full listing.
    for (const rest of after.values()) for (const number of rest) order.push(number)
    this.#setOrder(order.values())
  }

  /** By the number of what comes right before them: new ids that nobody placed meanwhile. */
  #followers(ids: readonly string[], before: readonly (string | null)[]): Map<number, number[]> {
    const table = this.#table
    const after = new Map<number, number[]>()
    for (const [n, id] of ids.entries()) {
      const number = table.numberOf(id)
      if (number === undefined || !table.isThere(number) || table.isPlaced(number)) continue
      const predecessor = before[n] ?? null
      const key = predecessor === null ? FIRST : (table.numberOf(predecessor) ?? UNLISTED)
      after.set(key, [...(after.get(key) ?? []), number])
    }
    return after
  }

  #setOrder(order: Uint32Array): void {
    this.#order = order
    this.#table.unplaceAll()
    for (const number of order) this.#table.setPlaced(number)
  }
}
