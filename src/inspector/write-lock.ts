/** Writing is asked for while it is locked. Nothing was changed. */
export class WritingLocked extends Error {
  override readonly name = 'WritingLocked'
}

/** The switch that every write passes. Locked until a person unlocks it. */
export class WriteLock {
  readonly #listeners = new Set<(isUnlocked: boolean) => void>()
  #isUnlocked = false

  get isUnlocked(): boolean {
    return this.#isUnlocked
  }

  set(isUnlocked: boolean): { readonly isUnlocked: boolean } {
    if (this.#isUnlocked !== isUnlocked) {
      this.#isUnlocked = isUnlocked
      for (const listener of this.#listeners) listener(isUnlocked)
    }
    return { isUnlocked }
  }

  /** Throws WritingLocked. */
  assertUnlocked(): void {
    if (!this.#isUnlocked) throw new WritingLocked('writing is locked')
  }

  onChange(listener: (isUnlocked: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
