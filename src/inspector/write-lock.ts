import type { WritingState } from '../contract/database-contract.ts'
import type { UnlockOutcome } from '../model/connection.ts'
import { StoreTrouble } from '../store/trouble.ts'

/** Writing is asked for while it is locked. Nothing was changed. */
export class WritingLocked extends Error {
  override readonly name = 'WritingLocked'
}

/** Where the database itself keeps writing locked; it may lock again at any time. */
export interface WriteGate {
  unlock(): Promise<UnlockOutcome>
  lock(): Promise<void>
  /** `null`: locked. */
  onWriting(listener: (unlockedUntil: number | null) => void): () => void
}

/** The switch that every write passes. Locked until a person unlocks it. */
export class WriteLock {
  readonly #listeners = new Set<(isUnlocked: boolean) => void>()
  readonly #gate: WriteGate | null
  readonly #stopListening: (() => void) | null
  #isUnlocked = false
  #until: number | null = null

  constructor(gate: WriteGate | null = null) {
    this.#gate = gate
    this.#stopListening = gate?.onWriting((until) => this.#note(until !== null, until)) ?? null
  }

  get isUnlocked(): boolean {
    return this.#isUnlocked
  }

  /** Throws StoreTrouble where the database does not let this role write. */
  async set(isUnlocked: boolean): Promise<WritingState> {
    if (this.#gate === null) {
      this.#note(isUnlocked)
    } else if (isUnlocked) {
      const answer = await this.#gate.unlock()
      if (answer.outcome === 'refused') throw new StoreTrouble(answer.reason)
    } else {
      await this.#gate.lock()
    }
    return { isUnlocked: this.#isUnlocked, until: this.#until }
  }

  /** Throws WritingLocked. */
  assertUnlocked(): void {
    if (!this.#isUnlocked) throw new WritingLocked('writing is locked')
  }

  onChange(listener: (isUnlocked: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stopListening?.()
  }

  #note(isUnlocked: boolean, until: number | null = null): void {
    this.#until = until
    if (this.#isUnlocked === isUnlocked) return
    this.#isUnlocked = isUnlocked
    for (const listener of this.#listeners) listener(isUnlocked)
  }
}
