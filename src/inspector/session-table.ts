import { Column } from './columns.ts'
import type { ListedSession } from './queries/sessions.ts'

/** With fewer forgotten ones nothing is gained by numbering anew. */
const MIN_FORGOTTEN = 1000

const THERE = 1
const PLACED = 2

/** Listed sessions by columns. Each has a number, by which it is read; one that was forgotten gets the same one when it comes back. */
export class SessionTable {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #head = new Column(Float64Array)
  readonly #clearIndex = new Column(Float64Array)
  /** NaN: none. */
  readonly #lastActivityAt = new Column(Float64Array)
  readonly #state = new Column(Uint8Array)
  #size = 0
  #changes = 0

  /** Grows whenever anything here may have changed. */
  get changes(): number {
    return this.#changes
  }

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
    return (this.#state.get(number) & THERE) !== 0
  }

  /** Its place in the database's order is known. */
  isPlaced(number: number): boolean {
    return (this.#state.get(number) & PLACED) !== 0
  }

  id(number: number): string {
    return this.#ids[number]!
  }

  get(number: number): ListedSession {
    const lastActivityAt = this.lastActivityAt(number)
    return {
      id: this.id(number),
      head: this.#head.get(number),
      clearIndex: this.clearIndex(number),
      lastActivityAt: Number.isNaN(lastActivityAt) ? null : lastActivityAt,
    }
  }

  live(number: number): number {
    return this.#head.get(number) - this.#clearIndex.get(number)
  }

  clearIndex(number: number): number {
    return this.#clearIndex.get(number)
  }

  /** NaN: none. */
  lastActivityAt(number: number): number {
    return this.#lastActivityAt.get(number)
  }

  /** Adds a session, or sets the values of one that is here. Returns its number. */
  put({ id, head, clearIndex, lastActivityAt }: ListedSession): number {
    this.#changes += 1
    const number = this.#numbers.get(id) ?? this.#add(id)
    if (!this.isThere(number)) {
      this.#state.set(number, this.#state.get(number) | THERE)
      this.#size += 1
    }
    this.#head.set(number, head)
    this.#clearIndex.set(number, clearIndex)
    this.#lastActivityAt.set(number, lastActivityAt ?? Number.NaN)
    return number
  }

  /** False: it was not here. */
  forget(number: number): boolean {
    if (!this.isThere(number)) return false
    this.#changes += 1
    this.#state.set(number, 0)
    this.#size -= 1
    return true
  }

  setPlaced(number: number): void {
    this.#changes += 1
    this.#state.set(number, this.#state.get(number) | PLACED)
  }

  /** No place is known any more. */
  unplaceAll(): void {
    this.#changes += 1
    for (let n = 0; n < this.#ids.length; n += 1) this.#state.set(n, this.#state.get(n) & ~PLACED)
  }

  #add(id: string): number {
    const number = this.#ids.length
    if (number === this.#state.length) this.#grow()
    this.#ids.push(id)
    this.#numbers.set(id, number)
    return number
  }

  #grow(): void {
    this.#head.grow()
    this.#clearIndex.grow()
    this.#lastActivityAt.grow()
    this.#state.grow()
  }
}
