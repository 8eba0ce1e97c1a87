import { setImmediate as yieldNow, setTimeout as sleep } from 'node:timers/promises'

/** How long one slice of background work in a file aims to take. */
export const SLICE_MS = 12
const WRITER_ACTIVE_MS = 1000
const WAL_GROWTH_BYTES = 64 * 1024 * 1024
const WAL_PAUSE_MS = 1000

/** Keeps background work out of everyone's way: requests come in between, and a writer gets half the time. */
export class Pace {
  readonly #walBytes: () => number
  #changedAt = Number.NEGATIVE_INFINITY
  #walAtStart = 0
  readonly #closing = new AbortController()
  readonly #sliceMs: () => number
  #turn: Promise<void> = Promise.resolve()

  constructor(walBytes: () => number, sliceMs: () => number) {
    this.#walBytes = walBytes
    this.#walAtStart = walBytes()
    this.#sliceMs = sliceMs
  }

  /** The size of the next slice, so that it takes about as long as it should. */
  nextSize(size: number, tookMs: number, bounds: { min: number; max: number }): number {
    const factor = Math.min(2, Math.max(0.5, this.#sliceMs() / Math.max(0.1, tookMs)))
    return Math.round(Math.min(bounds.max, Math.max(bounds.min, size * factor)))
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Somebody just wrote. */
  noteChange(): void {
    this.#changedAt = performance.now()
  }

  /**
   * Runs one slice when it is its turn: one at a time for all who share this pace, and with the rest that is
   * due after the one before. The answer does not wait for the rest after it.
   */
  async slice<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turn = promise
    await before
    const startedAt = performance.now()
    try {
      return await run()
    } finally {
      void this.afterSlice(performance.now() - startedAt).then(resolve)
    }
  }

  /** To be awaited after each slice. */
  async afterSlice(tookMs: number): Promise<void> {
    // Where nobody wrote no log grew.
    if (performance.now() - this.#changedAt >= WRITER_ACTIVE_MS) {
      await yieldNow()
      return
    }
    const walBytes = this.#walBytes()
    if (walBytes - this.#walAtStart > WAL_GROWTH_BYTES) {
      // The writer cannot start its log over while it is being read: leave it alone for a moment.
      this.#walAtStart = walBytes
      await this.#sleep(WAL_PAUSE_MS)
    } else {
      await this.#sleep(Math.max(1, tookMs))
    }
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined)
  }

  close(): void {
    this.#closing.abort()
  }
}
