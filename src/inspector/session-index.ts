import type { Pace } from './pace.ts'
import type { RowPosition } from './queries/position.ts'
import type { ListedSession, SessionCursor } from './queries/sessions.ts'
import type { Reader } from './reader.ts'
import { openLocalScans } from './scans/scan-reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'

const PAGE = { min: 25, max: 1000 }
/** More new rows than this: listing everything anew is cheaper than following them. */
const MAX_FOLLOWED_ROWS = 100_000
const FOLLOW_ROWS = 5000
const RECENT = { maxRows: 20_000, maxSessions: 100 }

type Questions = Pick<ScanReader, 'listed' | 'predecessors'>

/** All sessions of the database, kept in memory: listed in the background, then kept up to date. */
export class SessionIndex {
  readonly #reader: Reader
  readonly #pace: Pace
  readonly #scans: ScanReader
  #sessions = new Map<string, ListedSession>()
  /** Ids in the database's order; only those the listing has reached. */
  #order: string[] = []
  #placed = new Set<string>()
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
    return this.#sessions.size
  }

  get(id: string): ListedSession | undefined {
    return this.#sessions.get(id)
  }

  /** In the database's order; sessions the listing has not reached yet come last. */
  inOrder(): ListedSession[] {
    const ordered = this.#order.flatMap((id) => this.#sessions.get(id) ?? [])
    if (ordered.length === this.#sessions.size) return ordered
    return [...ordered, ...[...this.#sessions.values()].filter(({ id }) => !this.#placed.has(id))]
  }

  reset(): void {
    this.#sessions = new Map()
    this.#setOrder([])
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
    const vanished = ids.filter((id) => !present.has(id) && this.#sessions.delete(id))
    if (vanished.length > 0) this.#setOrder(this.#order.filter((id) => this.#sessions.has(id)))
    this.#put(listed)
    if (this.#isComplete) {
      await this.#place(
        listed.filter(({ id }) => !this.#placed.has(id)),
        from,
      )
    }
  }

  /** Lists everything, or follows what was appended since. */
  async bringUpToDate(onProgress: () => void): Promise<void> {
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
    const order: string[] = []
    const isFirst = !this.#isComplete
    if (isFirst) this.#setOrder([])
    let cursor: SessionCursor | null = null
    let size = 50
    do {
      const before = this.#scans.spentMs
      const page = await this.#scans.sessionPage(cursor, size)
      if (this.#pace.isClosed) return
      this.#put(page.sessions)
      for (const { id } of page.sessions) {
        order.push(id)
        if (isFirst) this.#placed.add(id)
      }
      if (isFirst) this.#order = order
      cursor = page.next
      const tookMs = this.#scans.spentMs - before
      size = this.#pace.nextSize(size, tookMs, PAGE)
      if (cursor !== null) await this.#scans.rest(tookMs)
      onProgress()
    } while (cursor !== null)
    this.#setOrder(order)
    this.#dropUnlisted()
    this.#isComplete = true
    onProgress()
  }

  /** Sessions that were known but are no longer listed; those seen just now by their newest row are new. */
  #dropUnlisted(): void {
    for (const id of this.#sessions.keys()) if (!this.#placed.has(id)) this.#sessions.delete(id)
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

  #put(sessions: readonly ListedSession[]): void {
    for (const session of sessions) this.#sessions.set(session.id, session)
  }

  /** Puts new ids where the database's order has them; only the database compares ids. */
  async #place(added: readonly ListedSession[], from: Questions): Promise<void> {
    if (added.length === 0) return
    const ids = added.map(({ id }) => id)
    const before = await from.predecessors(ids)
    const after = new Map<string | null, string[]>()
    ids.forEach((id, n) => {
      // Someone else may have placed it meanwhile.
      if (this.#placed.has(id)) return
      const key = before[n] ?? null
      after.set(key, [...(after.get(key) ?? []), id])
    })
    const order: string[] = []
    const push = (id: string | null): void => {
      const pending = [id]
      while (pending.length > 0) {
        const next = pending.pop() ?? null
        if (next !== null) order.push(next)
        pending.push(...(after.get(next) ?? []))
        after.delete(next)
      }
    }
    push(null)
    for (const id of this.#order) push(id)
    // An id whose predecessor is not listed cannot be placed: list it last until the next full listing.
    for (const rest of after.values()) order.push(...rest)
    this.#setOrder(order)
  }

  #setOrder(order: string[]): void {
    this.#order = order
    this.#placed = new Set(order)
  }
}
