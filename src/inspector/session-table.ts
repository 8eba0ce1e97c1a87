import { grown } from './columns.ts'
import type { ListedSession } from './queries/sessions.ts'

const MIN_SESSIONS = 64
/** With fewer forgotten ones nothing is gained by numbering anew. */
const MIN_FORGOTTEN = 1000

const THERE = 1
const PLACED = 2

/** Listed sessions by columns. Each has a number, by which it is read; one that was forgotten gets the same one when it comes back. */
export class SessionTable {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []
  #head = new Float64Array(0)
  #clearIndex = new Float64Array(0)
  /** NaN: none. */
  #lastActivityAt = new Float64Array(0)
  #state = new Uint8Array(0)
  #size = 0

  /** Sessions that are here. */
  get size(): number {
    return this.#size
  }

  /** Numbers that were given; each below is a session's, or of one that was forgotten. */
  get end(): number {
    return this.#ids.length
  }

  get isWorthRenewing(): boolean {
    const forgotten = this.#ids.length - this.#size
    return forgotten > Math.max(MIN_FORGOTTEN, this.#size / 2)
  }

  /** undefined: never heard of. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** The string that is kept for this id. */
  sameId(id: string): string {
    const number = this.#numbers.get(id)
    return number === undefined ? id : this.#ids[number]!
  }

  isThere(number: number): boolean {
    return (this.#state[number]! & THERE) !== 0
  }

  /** Its place in the database's order is known. */
  isPlaced(number: number): boolean {
    return (this.#state[number]! & PLACED) !== 0
  }

  id(number: number): string {
    return this.#ids[number]!
  }

  get(number: number): ListedSession {
    const lastActivityAt = this.lastActivityAt(number)
    return {
      id: this.id(number),
      head: this.#head[number]!,
      clearIndex: this.clearIndex(number),
      lastActivityAt: Number.isNaN(lastActivityAt) ? null : lastActivityAt,
    }
  }

  live(number: number): number {
    return this.#head[number]! - this.#clearIndex[number]!
  }

  clearIndex(number: number): number {
    return this.#clearIndex[number]!
  }

  /** NaN: none. */
  lastActivityAt(number: number): number {
    return this.#lastActivityAt[number]!
  }

  /** Adds a session, or sets the values of one that is here. Returns its number. */
  put({ id, head, clearIndex, lastActivityAt }: ListedSession): number {
    const number = this.#numbers.get(id) ?? this.#add(id)
    if (!this.isThere(number)) {
      this.#state[number]! |= THERE
      this.#size += 1
    }
    this.#head[number] = head
    this.#clearIndex[number] = clearIndex
    this.#lastActivityAt[number] = lastActivityAt ?? Number.NaN
    return number
  }

  /** False: it was not here. */
  forget(number: number): boolean {
    if (!this.isThere(number)) return false
    this.#state[number] = 0
    this.#size -= 1
    return true
  }

  setPlaced(number: number): void {
    this.#state[number]! |= PLACED
  }

  /** No place is known any more. */
  unplaceAll(): void {
    for (let n = 0; n < this.#ids.length; n += 1) this.#state[n]! &= ~PLACED
  }

  #add(id: string): number {
    const number = this.#ids.length
    if (number === this.#state.length) this.#grow()
    this.#ids.push(id)
    this.#numbers.set(id, number)
    return number
  }

  #grow(): void {
    const capacity = Math.max(MIN_SESSIONS, Math.ceil(this.#state.length * 1.5))
    this.#head = grown(this.#head, new Float64Array(capacity))
    this.#clearIndex = grown(this.#clearIndex, new Float64Array(capacity))
    this.#lastActivityAt = grown(this.#lastActivityAt, new Float64Array(capacity))
    this.#state = grown(this.#state, new Uint8Array(capacity))
  }
}
