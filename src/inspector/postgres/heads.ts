import { setTimeout as sleep } from 'node:timers/promises'

import type { NewEvent } from '../../model/live.ts'
import type { Follower } from '../reader.ts'
import type { SessionPage } from '../queries/sessions.ts'

const BATCH = 2000
const PAGE = 1000
/** All heads are read again for no more than this part of the time. */
const REST_FACTOR = 40
const MIN_REST_MS = 1000
/** How long watching waits to know all heads; what it does not know by then is told only from when it does. */
const START_PATIENCE_MS = 500

export interface HeadSource {
  sessionPage(after: string | null, limit: number): Promise<SessionPage>
  newEvents(
    moves: readonly { sessionId: string; after: number; through: number }[],
    limit: number,
  ): Promise<NewEvent[]>
  /** 0 without events. */
  headOf(sessionId: string): Promise<number>
  /** A head went on. */
  onMoved(): void
  /** A head went back: nothing known holds. */
  onRestored(): void
  /** Why the last look failed, if it did. */
  trouble(): unknown
  /** Looks at what changed since the last look. */
  look(): Promise<void>
}

/**
 * The heads of all sessions, for as long as someone follows them. A session's events are appended in
 * the order of their indexes, so a head that moved says exactly which events are new.
 */
export class Heads {
  readonly #source: HeadSource
  readonly #followers = new Set<HeadFollower>()
  #heads = new Map<string, number>()
  #isComplete = false
  #sweeping: Promise<void> | null = null
  #restUntil = 0
  #isSweepDue = false

  constructor(source: HeadSource) {
    this.#source = source
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  openFollower(): Follower {
    return new HeadFollower(this.#source, {
      attach: async (follower: HeadFollower) => {
        this.#followers.add(follower)
        await this.#source.look()
        await this.#becomeReady()
      },
      ready: () => this.#becomeReady(),
      detach: (follower: HeadFollower) => {
        this.#followers.delete(follower)
        if (this.#followers.size === 0) this.reset()
      },
    })
  }

  reset(): void {
    this.#heads = new Map()
    this.#isComplete = false
    for (const one of this.#followers) one.forget()
  }

  /** Heads that were just read. Unknown sessions are new ones once all were known. */
  note(found: readonly (readonly [sessionId: string, head: number])[]): void {
    for (const [sessionId, head] of found) {
      const known = this.#heads.get(sessionId) ?? (this.#isComplete ? 0 : head)
      if (head < known) {
        // An answer may be overtaken by a later one on the other connection: only a fresh look can tell.
        void this.#confirm(sessionId, known)
        continue
      }
      this.#heads.set(sessionId, head)
      if (head === known) continue
      for (const one of this.#followers) one.move(sessionId, known, head)
      this.#source.onMoved()
    }
  }

  /** Something was written: what the closer look cannot see is found by reading all heads, when it is time to. */
  sweepSoon(): void {
    this.#isSweepDue = true
    this.sweepIfDue()
  }

  sweepIfDue(): void {
    if (!this.isFollowed || !this.#isSweepDue || this.#sweeping !== null) return
    if (this.#isComplete && performance.now() < this.#restUntil) return
    void this.#sweep()
  }

  async #confirm(sessionId: string, known: number): Promise<void> {
    const heads = this.#heads
    const found = await this.#source.headOf(sessionId).catch(() => null)
    if (found === null || found >= known || this.#heads !== heads) return
    this.#source.onRestored()
    this.reset()
  }

  /** Until all heads are known, but not for long. */
  async #becomeReady(): Promise<void> {
    if (this.#isComplete) return
    const patience = sleep(START_PATIENCE_MS, undefined, { ref: false })
    await Promise.race([this.#sweep(), patience])
  }

  #sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepNow()
      // Whoever looks next has the trouble too, and tells it.
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = null
      })
    return this.#sweeping
  }

  async #sweepNow(): Promise<void> {
    const startedAt = performance.now()
    const heads = this.#heads
    this.#isSweepDue = false
    let after: string | null = null
    do {
      const page: SessionPage = await this.#source.sessionPage(after, PAGE)
      // A reset, or nobody follows any more.
      if (this.#heads !== heads || !this.isFollowed) return
      this.note(page.sessions.map(({ id, head }) => [id, head] as const))
      after = page.next === null ? null : page.next.toString()
    } while (after !== null)
    this.#isComplete = this.#heads === heads
    const tookMs = performance.now() - startedAt
    this.#restUntil = performance.now() + Math.max(MIN_REST_MS, REST_FACTOR * tookMs)
  }
}

interface Move {
  after: number
  through: number
}

interface Attachment {
  attach(follower: HeadFollower): Promise<void>
  detach(follower: HeadFollower): void
  ready(): Promise<void>
}

/** What one watcher has still to be told. */
class HeadFollower implements Follower {
  readonly #source: HeadSource
  readonly #heads: Attachment
  #moves = new Map<string, Move>()

  constructor(source: HeadSource, heads: Attachment) {
    this.#source = source
    this.#heads = heads
  }

  start(): Promise<void> {
    this.forget()
    return this.#heads.attach(this)
  }

  end(): void {
    this.#heads.detach(this)
  }

  forget(): void {
    this.#moves = new Map()
  }

  move(sessionId: string, after: number, through: number): void {
    const known = this.#moves.get(sessionId)
    if (known === undefined) this.#moves.set(sessionId, { after, through })
    else known.through = through
  }

  async next(): Promise<{ events: readonly NewEvent[]; isMore: boolean }> {
    const trouble = this.#source.trouble()
    if (trouble !== null) throw trouble
    await this.#heads.ready()
    const moves = this.#moves
    if (moves.size === 0) return { events: [], isMore: false }
    const wanted = [...moves]
      .slice(0, BATCH)
      .map(([sessionId, { after, through }]) => ({ sessionId, after, through }))
    const events = await this.#source.newEvents(wanted, BATCH)
    if (this.#moves !== moves) return { events: [], isMore: false }
    this.#noteTold(wanted, events)
    return { events, isMore: moves.size > 0 }
  }

  /** Where the batch ended in the middle of a session, the rest of it is still to be told. */
  #noteTold(
    wanted: readonly { sessionId: string; after: number; through: number }[],
    events: readonly NewEvent[],
  ): void {
    const last = events.at(-1)
    const isFull = events.length === BATCH
    for (const { sessionId, through } of wanted) {
      const isLast = isFull && sessionId === last?.sessionId
      const told = isLast ? (last?.index ?? through) : through
      const move = this.#moves.get(sessionId)
      if (move === undefined) continue
      if (move.through <= told) this.#moves.delete(sessionId)
      else move.after = told
      if (isLast) return
    }
  }
}
