import type { Pace } from './pace.ts'
import type { WorkKey } from './queries/work.ts'
import type { Reader } from './reader.ts'

const ENTRIES = { min: 2000, max: 200_000 }

/** A session's unfinished live events, before it is known what each of them waits for. */
export interface EarlyCount {
  readonly unfinished: number
  /** Of them; null: not known yet. */
  readonly dead: number | null
}

/** Unfinished events by session as indexes alone tell them: in a fraction of the time that their rows take. */
export class EarlyCounts {
  readonly #reader: Reader
  readonly #pace: Pace
  #unfinished: Map<string, number> | null = null
  #dead: Map<string, number> | null = null

  constructor(reader: Reader, pace: Pace) {
    this.#reader = reader
    this.#pace = pace
  }

  /** null: not counted, or no index tells. */
  countOf(sessionId: string): EarlyCount | null {
    if (this.#unfinished === null) return null
    const dead = this.#dead === null ? null : (this.#dead.get(sessionId) ?? 0)
    return { unfinished: this.#unfinished.get(sessionId) ?? 0, dead }
  }

  forget(): void {
    this.#unfinished = null
    this.#dead = null
  }

  /** Throws StoreTrouble. */
  async count(): Promise<void> {
    this.forget()
    const counts = this.#reader.indexCounts
    const { by, maxDead } = (await counts?.kind()) ?? { by: null, maxDead: 0 }
    if (counts === undefined || by === null) return
    const dead = maxDead > 0 ? await counts.dead(maxDead) : null
    // Dead letters are in no other index then.
    if (by === 'pending' && dead === null) return
    const unfinished = new Map(by === 'pending' ? dead : null)
    let after: WorkKey | null = null
    let size = 20_000
    do {
      const startedAt = performance.now()
      const step = await counts.step(by, after, size)
      if (this.#pace.isClosed) return
      for (const [id, n] of step.counts) unfinished.set(id, (unfinished.get(id) ?? 0) + n)
      after = step.next
      const tookMs = performance.now() - startedAt
      size = this.#pace.nextSize(size, tookMs, ENTRIES)
      if (after !== null) await this.#pace.afterSlice(tookMs)
    } while (after !== null)
    this.#unfinished = unfinished
    this.#dead = dead
  }
}
