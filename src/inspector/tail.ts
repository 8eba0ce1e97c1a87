import type { LiveMessage } from '../model/live.ts'
import type { Background } from './background.ts'
import { readStamp, watchFile } from './file-watch.ts'
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
  /** null: no file; undefined: not looked yet. */
  #stamp: string | null | undefined = undefined
  #identity: string | null = null
  /** Until then a write may hide behind the last one; afterwards there is one more look, for the last such write. */
  #blindUntil = 0
  #owesALook = false
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
    this.#look('certain')
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
    this.#poll = setInterval(() => this.#look('polled'), POLL_MS[this.#pace])
    this.#poll.unref()
  }

  #lookSoon(): void {
    if (this.#settle !== null) return
    this.#noticedAt = performance.now()
    this.#settle = setTimeout(() => {
      this.#settle = null
      this.#look('told')
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

  #look(why: 'certain' | 'told' | 'polled'): void {
    if (why === 'polled') this.#noticedAt = performance.now()
    const isWritten = this.#noteStamp(why) || why === 'certain'
    if (isWritten) {
      this.#options.background.pace.noteChange()
      this.#options.background.request()
    }
    for (const one of this.#subscribers) {
      if (isWritten || one.isInTrouble) one.look(this.#noticedAt)
    }
  }

  /**
   * Whether something was, or may have been, written. That the folder says so is not enough: run by root,
   * SQLite sets the owner of the -wal whenever it opens it, so our own reading would keep us reading.
   */
  #noteStamp(why: 'certain' | 'told' | 'polled'): boolean {
    const stamp = readStamp(this.#options.reader.path)
    const state = stamp?.state ?? null
    const now = performance.now()
    if (state !== this.#stamp) {
      this.#stamp = state
      this.#blindUntil = now + (stamp?.blindMs ?? 0)
      this.#owesALook = true
      this.#watchAnew()
      return true
    }
    if (now < this.#blindUntil) return why === 'told'
    const isLast = this.#owesALook
    this.#owesALook = false
    return isLast
  }
}
