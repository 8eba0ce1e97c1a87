/** One dead letter as the list of all of them keeps it. */
export interface DeadRow {
  readonly sessionId: string
  readonly index: number
  readonly lane: string | null
}

/** Dead letters in the order of their list, by columns. Never changes. */
export class DeadList {
  readonly length: number
  readonly #sessionIds: readonly string[]
  readonly #indexes: Float64Array
  readonly #lanes: readonly (string | null)[]

  constructor(sessionIds: readonly string[], indexes: Float64Array, lanes: (string | null)[]) {
    this.length = indexes.length
    this.#sessionIds = sessionIds
    this.#indexes = indexes
    this.#lanes = lanes
  }

  /** As of an array. */
  slice(from: number, to: number): DeadRow[] {
    const rows: DeadRow[] = []
    for (let n = from; n < Math.min(to, this.length); n += 1) rows.push(this.#at(n))
    return rows
  }

  /** Only those at these places, ascending. */
  pick(places: readonly number[]): DeadList {
    return new DeadList(
      places.map((n) => this.#sessionIds[n]!),
      Float64Array.from(places, (n) => this.#indexes[n]!),
      places.map((n) => this.#lanes[n] ?? null),
    )
  }

  countSessions(): number {
    return new Set(this.#sessionIds).size
  }

  #at(n: number): DeadRow {
    return {
      sessionId: this.#sessionIds[n]!,
      index: this.#indexes[n]!,
      lane: this.#lanes[n] ?? null,
    }
  }
}
