import type { LiveMessage } from '../model/live.ts'
import type { Background } from './background.ts'
import { watchFile } from './file-watch.ts'
import type { Reader } from './reader.ts'
import { Subscriber } from './subscriber.ts'
import type { WriteLock } from './write-lock.ts'

/** A folder event comes before its commit can be read: look after this time, which also gathers many into one. */
const SETTLE_MS = { visible: 16, hidden: 250 }
const POLL_MS = { visible: 250, hidden: 1000 }

export interface TailOptions {
  readonly reader: Reader
  readonly background: Background
  readonly lock: WriteLock
  readonly onDefect: (error: unknown) => void
}

/** Notices changes and wakes whoever watches. Does nothing while nobody does. */
export class Tail {
  readonly #options: TailOptions
  readonly #subscribers = new Set<Subscriber>()
  #watcher: { close(): void } | null = null
  #poll: NodeJS.Timeout | null = null
  #settle: NodeJS.Timeout | null = null
  #stamp: string | null = null
  #identity: string | null = null
  /** File times are coarse: a change seen by its time alone is looked at once more. */
  #mayBeLate = false
  #noticedAt = 0

  constructor(options: TailOptions) {
    this.#options = options
    options.lock.onChange((isUnlocked) => {
      for (const one of this.#subscribers) one.tell({ kind: 'writing', isUnlocked })
    })
    options.background.onProgress(() => {
      for (const one of this.#subscribers) one.noteCounts()
    })
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
    this.#noticedAt = performance.now()
    this.#look(true)
  }

  close(): void {
    for (const one of this.#subscribers) one.end()
  }

  get #pace(): 'visible' | 'hidden' {
    return [...this.#subscribers].some(({ isVisible }) => isVisible) ? 'visible' : 'hidden'
  }

  /** Watches and polls as the subscribers need it; a first look follows when there are any. */
  #arrange(): void {
    if (this.#poll !== null) clearInterval(this.#poll)
    this.#poll = null
    if (this.#subscribers.size === 0) {
      this.#watcher?.close()
      this.#watcher = null
      if (this.#settle !== null) clearTimeout(this.#settle)
      this.#settle = null
      return
    }
    const { path } = this.#options.reader
    this.#watcher ??= watchFile(path, () => this.#lookSoon())
    this.#identity ??= this.#options.reader.identity()
    this.#poll = setInterval(() => this.#look(false), POLL_MS[this.#pace])
    this.#poll.unref()
  }

  #lookSoon(): void {
    if (this.#settle !== null) return
    this.#noticedAt = performance.now()
    this.#settle = setTimeout(() => {
      this.#settle = null
      this.#look(true)
    }, SETTLE_MS[this.#pace])
    this.#settle.unref()
  }

  /** The folder may be another one: a link that points elsewhere, a folder made anew. */
  #watchAnew(): void {
    const identity = this.#options.reader.identity()
    if (identity === null || identity === this.#identity || this.#watcher === null) return
    this.#identity = identity
    this.#watcher.close()
    this.#watcher = watchFile(this.#options.reader.path, () => this.#lookSoon())
  }

  #look(isCertain: boolean): void {
    const stamp = this.#options.reader.stamp()
    const hasChanged = stamp !== this.#stamp
    if (!isCertain) this.#noticedAt = performance.now()
    this.#stamp = stamp
    const isWorthALook = isCertain || hasChanged || this.#mayBeLate
    this.#mayBeLate = hasChanged
    if (hasChanged) this.#watchAnew()
    if (hasChanged || isCertain) {
      this.#options.background.pace.noteChange()
      this.#options.background.request()
    }
    for (const one of this.#subscribers) {
      if (isWorthALook || one.isInTrouble) one.look(this.#noticedAt)
    }
  }
}
