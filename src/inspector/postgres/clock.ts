import type { Stored } from '../sqlite-values.ts'

/** A sample holds for so long before a slower one may replace it: clocks drift, networks change. */
const SAMPLE_MS = 60_000

/** The database's clock, seen from here. A test may stop it. */
export class DatabaseClock {
  readonly #stopped: { now(): Date } | undefined
  #differenceMs = 0
  #tookMs = Number.POSITIVE_INFINITY
  #sampledAt = 0

  constructor(stopped?: { now(): Date }) {
    this.#stopped = stopped
  }

  /** The database's minus this machine's. */
  get differenceMs(): number {
    return this.#differenceMs
  }

  /** Epoch ms. */
  now(): number {
    return this.#stopped?.now().getTime() ?? Date.now() + this.#differenceMs
  }

  /** The moment an answer was made at, of which the database told its own time. */
  atAnswer(told: Stored): number {
    return this.#stopped?.now().getTime() ?? (typeof told === 'number' ? told : this.now())
  }

  /** Learns from one round trip: the fastest says it best. */
  learn(told: Stored, trip: { readonly sentAt: number; readonly tookMs: number }): void {
    if (typeof told !== 'number') return
    const isOld = performance.now() - this.#sampledAt > SAMPLE_MS
    if (trip.tookMs > this.#tookMs && !isOld) return
    this.#tookMs = trip.tookMs
    this.#sampledAt = performance.now()
    this.#differenceMs = Math.round(told - (trip.sentAt + trip.tookMs / 2))
  }
}
