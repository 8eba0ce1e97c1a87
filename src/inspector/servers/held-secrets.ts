import { randomUUID } from 'node:crypto'

import { Secret } from '../../model/secret.ts'

const HELD_MS = 10 * 60_000

/** Secrets that came in a text and wait for the call that uses them. They may be used more than once: to test, then to open. */
export class HeldSecrets {
  readonly #held = new Map<string, Secret>()
  readonly #heldMs: number

  constructor(heldMs = HELD_MS) {
    this.#heldMs = heldMs
  }

  hold(secret: Secret): string {
    const id = randomUUID()
    this.#held.set(id, secret)
    setTimeout(() => this.#held.delete(id), this.#heldMs).unref()
    return id
  }

  find(id: string): Secret | undefined {
    return this.#held.get(id)
  }
}
