import { AsyncIteratorClass } from '@orpc/server'

import type { DatabaseTrouble } from '../model/database.ts'
import type { LiveMessage } from '../model/live.ts'
import { StoreTrouble } from '../store/trouble.ts'
import type { Background } from './background.ts'
import type { ConnectionProcedures } from './connection-procedures.ts'
import { openFollower } from './follower.ts'
import type { Follower, Reader } from './reader.ts'
import type { WriteLock } from './write-lock.ts'

const CHANGED_EVERY_MS = 50
const COUNTS_EVERY_MS = 500
const PULSE_MS = 10_000
/** A lock that lasts longer than this is told; until then it is only waited for. */
const LOCKED_PATIENCE_MS = 2000
const LOCKED_RETRY_MS = 50

export interface SubscriberOptions {
  readonly reader: Reader
  readonly background: Background
  readonly lock: WriteLock
  readonly connection: ConnectionProcedures
  readonly isVisible: boolean
  readonly onEnd: () => void
  readonly onDefect: (error: unknown) => void
}

/** One watcher: what it has been told, and what it has to be told next. Reads only when it is asked for more. */
export class Subscriber {
  readonly isVisible: boolean
  readonly #options: SubscriberOptions
  readonly #queue: LiveMessage[] = []
  readonly #follower: Follower
  #wake: (() => void) | null = null
  #isEnded = false
  #isStarted = false
  /** When the change to look at was noticed; null: nothing to look at. */
  #lookAt: number | null = null
  #isChangeDue = false
  #areCountsDue = true
  #changedAt = 0
  #countsAt = 0
  #sentAt = performance.now()
  #lastCounts = ''
  #epoch = 0
  #trouble: DatabaseTrouble | null = null
  #lockedSince: number | null = null

  constructor(options: SubscriberOptions) {
    this.#options = options
    this.isVisible = options.isVisible
    this.#follower = openFollower(options.reader)
  }

  get isInTrouble(): boolean {
    return this.#trouble !== null
  }

  tell(message: LiveMessage): void {
    this.#queue.push(message)
    this.#wake?.()
  }

  noteCounts(): void {
    this.#areCountsDue = true
    this.#wake?.()
  }

  look(noticedAt: number): void {
    this.#lookAt ??= noticedAt
    this.#wake?.()
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#follower.end()
    this.#wake?.()
    this.#options.onEnd()
  }

  messages(): AsyncIteratorObject<LiveMessage, undefined> {
    return new AsyncIteratorClass<LiveMessage, undefined>(
      async () => {
        const value = await this.#next()
        if (value === null) return { done: true, value: undefined }
        this.#sentAt = performance.now()
        return { done: false, value }
      },
      async () => this.end(),
    )
  }

  async #next(): Promise<LiveMessage | null> {
    if (!this.#isStarted) await this.#start()
    while (!this.#isEnded) {
      if (this.#queue.length === 0) await this.#lookNow()
      const message = this.#queue.shift() ?? this.#dueMessage()
      if (message !== null) return message
      await this.#rest()
    }
    return null
  }

  /** The cursor is set before the first message: whatever is committed after `hello` is told. */
  async #start(): Promise<void> {
    this.#isStarted = true
    const { reader, lock, connection } = this.#options
    const hello = { kind: 'hello', isWritingUnlocked: lock.isUnlocked, at: reader.now() } as const
    const report = connection.report()
    this.#queue.push(hello, ...(report === null ? [] : [{ kind: 'connection', report } as const]))
    await this.#guarded(async () => {
      await this.#follower.start()
      this.#epoch = reader.epoch.file
    })
  }

  async #lookNow(): Promise<void> {
    const noticedAt = this.#lookAt
    if (noticedAt === null) return
    this.#lookAt = null
    const { reader } = this.#options
    const step = await this.#guarded(() => this.#follower.next())
    if (step === null) return
    this.#isChangeDue = true
    if (reader.epoch.file !== this.#epoch) return this.#reopen()
    if (this.#trouble !== null) {
      this.#trouble = null
      this.#queue.push({ kind: 'reopened', reason: 'returned', at: reader.now() })
    }
    if (step.isMore) this.#lookAt = noticedAt
    if (step.events.length === 0) return
    const latencyMs = Math.max(0, performance.now() - noticedAt)
    this.#queue.push({ kind: 'events', events: step.events, at: reader.now(), latencyMs })
  }

  /** Another file, or the same one in an earlier state: everything is read anew, events count from here. */
  async #reopen(): Promise<void> {
    const { reader } = this.#options
    const reason = this.#trouble === null ? reader.epoch.reason : 'returned'
    this.#trouble = null
    this.#epoch = reader.epoch.file
    await this.#guarded(() => this.#follower.start())
    this.#queue.push({ kind: 'reopened', reason, at: reader.now() })
  }

  /** null: the database cannot be read now. A lock is tried again for a while before it is told. */
  async #guarded<T>(run: () => Promise<T>): Promise<T | null> {
    try {
      const answer = await run()
      this.#lockedSince = null
      return answer
    } catch (error) {
      this.#noteFailure(error)
      return null
    }
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof StoreTrouble)) this.#options.onDefect(error)
    const { reader } = this.#options
    const trouble: DatabaseTrouble =
      error instanceof StoreTrouble
        ? error.trouble
        : { kind: 'unexpected', path: reader.path, code: null }
    if (trouble.kind === 'locked') {
      this.#lockedSince ??= performance.now()
      setTimeout(() => this.look(performance.now()), LOCKED_RETRY_MS).unref()
      if (performance.now() - this.#lockedSince < LOCKED_PATIENCE_MS) return
    }
    if (this.#trouble?.kind === trouble.kind) return
    this.#trouble = trouble
    this.#queue.push({ kind: 'trouble', trouble, at: reader.now() })
  }

  #dueMessage(): LiveMessage | null {
    const now = performance.now()
    const at = this.#options.reader.now()
    if (this.#isChangeDue && now - this.#changedAt >= CHANGED_EVERY_MS) {
      this.#isChangeDue = false
      this.#changedAt = now
      return { kind: 'changed', at }
    }
    if (this.#areCountsDue && now - this.#countsAt >= COUNTS_EVERY_MS) {
      this.#areCountsDue = false
      this.#countsAt = now
      const counts = this.#options.background.counts()
      const text = JSON.stringify(counts)
      if (text !== this.#lastCounts) {
        this.#lastCounts = text
        return { kind: 'counts', ...counts }
      }
    }
    return now - this.#sentAt >= PULSE_MS ? { kind: 'pulse', at } : null
  }

  /** Until something happens or a message is due. */
  async #rest(): Promise<void> {
    const now = performance.now()
    const waits = [this.#sentAt + PULSE_MS - now]
    if (this.#isChangeDue) waits.push(this.#changedAt + CHANGED_EVERY_MS - now)
    if (this.#areCountsDue) waits.push(this.#countsAt + COUNTS_EVERY_MS - now)
    const isBusy = this.#queue.length > 0 || this.#lookAt !== null || this.#isEnded
    if (isBusy) return
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    const due = setTimeout(resolve, Math.max(1, Math.min(...waits))).unref()
    this.#wake = resolve
    await woken
    this.#wake = null
    clearTimeout(due)
  }
}
