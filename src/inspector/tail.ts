import type { LiveMessage } from '../model/live.ts'
import type { Background } from './background.ts'
import type { ChangeWatch, Noticed, OpenWatch } from './change-watch.ts'
import type { ConnectionProcedures } from './connection-procedures.ts'
import type { Reader } from './reader.ts'
import { Subscriber } from './subscriber.ts'
import type { WriteLock } from './write-lock.ts'

export interface TailOptions {
  readonly reader: Reader
  readonly background: Background
  readonly lock: WriteLock
  readonly connection: ConnectionProcedures
  readonly openWatch: OpenWatch
  readonly onDefect: (error: unknown) => void
}

/** Wakes whoever watches when something changed. Does nothing while nobody does. */
export class Tail {
  readonly #options: TailOptions
  readonly #subscribers = new Set<Subscriber>()
  #watch: ChangeWatch | null = null
  readonly #stopListening: () => void

  constructor(options: TailOptions) {
    this.#options = options
    options.lock.onChange((isUnlocked) => {
      for (const one of this.#subscribers) one.tell({ kind: 'writing', isUnlocked })
    })
    this.#stopListening = options.connection.onChange((report) => {
      for (const one of this.#subscribers) one.tell({ kind: 'connection', report })
    })
    options.background.onProgress(() => {
      for (const one of this.#subscribers) one.noteCounts()
    })
  }

  /** How often it is looked for changes at the least; null: nobody watches. */
  get refreshMs(): number | null {
    return this.#watch?.pollMs ?? null
  }

  /** Messages from now on, until the caller stops listening. */
  subscribe(
    { isVisible }: { isVisible: boolean },
    signal: AbortSignal | undefined,
  ): AsyncIteratorObject<LiveMessage, undefined> {
    const subscriber = new Subscriber({
      ...this.#options,
      isVisible,
      onEnd: () => {
        this.#subscribers.delete(subscriber)
        this.#arrange()
      },
    })
    this.#subscribers.add(subscriber)
    signal?.addEventListener('abort', () => subscriber.end(), { once: true })
    if (signal?.aborted === true) subscriber.end()
    this.#arrange()
    this.#options.background.request()
    return subscriber.messages()
  }

  /** Looks at once: something was just written by us. */
  poke(): void {
    if (this.#watch !== null) return this.#watch.poke()
    const { background } = this.#options
    background.pace.noteChange()
    background.request()
  }

  close(): void {
    this.#stopListening()
    for (const one of this.#subscribers) one.end()
  }

  get #pace(): 'visible' | 'hidden' {
    return [...this.#subscribers].some(({ isVisible }) => isVisible) ? 'visible' : 'hidden'
  }

  /** Watches as the subscribers need it; a first look follows when there are any. */
  #arrange(): void {
    if (this.#subscribers.size === 0) {
      this.#watch?.close()
      this.#watch = null
    } else if (this.#watch === null) {
      const { openWatch } = this.#options
      this.#watch = openWatch(this.#pace, (noticed) => this.#hear(noticed))
    } else {
      this.#watch.setPace(this.#pace)
    }
  }

  #hear({ at, hasChanged, isWorthALook }: Noticed): void {
    const { background } = this.#options
    if (hasChanged) {
      background.pace.noteChange()
      background.request()
    }
    for (const one of this.#subscribers) if (isWorthALook || one.isInTrouble) one.look(at)
  }
}
