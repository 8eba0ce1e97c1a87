import type { ConnectionReport } from '../../src/model/connection-report.ts'
import type { DatabaseTrouble } from '../../src/model/database.ts'
import type { LiveMessage, NewEvent } from '../../src/model/live.ts'
import { isHeldStill, subscribeHolds } from '../state/holds.ts'
import { troubleOf } from './errors.ts'
import { ScreenReader } from './screen-reader.ts'
import { SessionFeeds } from './session-feeds.ts'

export type LiveCounts = Omit<Extract<LiveMessage, { kind: 'counts' }>, 'kind'>
export type Reopened = Omit<Extract<LiveMessage, { kind: 'reopened' }>, 'kind'>

/** What the window knows of its database from moment to moment. */
export interface LiveState {
  readonly connection: 'connecting' | 'live' | 'lost'
  /** The person stopped the view; messages are still heard, the screen stands still. */
  readonly isPaused: boolean
  /** Events heard while the screen stood still. */
  readonly missed: number
  /** Of a recent change; one a second is enough for a number that a person reads. */
  readonly latencyMs: number | null
  readonly isWritingUnlocked: boolean
  /** Epoch ms when writing locks itself again; null: never, or it is locked. */
  readonly unlockedUntil: number | null
  /** The way to the server; null for a file, and until it was told. */
  readonly report: ConnectionReport | null
  /** null until the first count. */
  readonly counts: LiveCounts | null
  /** Set while the file cannot be read; the screen keeps what it shows. */
  readonly trouble: DatabaseTrouble | null
  /** The last time the file was replaced, restored or came back; null when never or dismissed. */
  readonly reopened: Reopened | null
  /** Grows each time the screen was told to read again. */
  readonly revision: number
  /** Grows with each message that something was committed. */
  readonly commits: number
}

const START: LiveState = {
  connection: 'connecting',
  isPaused: false,
  missed: 0,
  latencyMs: null,
  isWritingUnlocked: false,
  unlockedUntil: null,
  report: null,
  counts: null,
  trouble: null,
  reopened: null,
  revision: 0,
  commits: 0,
}
/** What the screen reads by itself at the start is not cut short. */
const FIRST_REST_MS = 300
/** What is heard is told to the screen at most this often, and with each round that reads it again. */
const TELL_EVERY_MS = 150
const LATENCY_EVERY_MS = 1_000
/** The server speaks at least every 15 s; after this the line counts as dead. */
const SILENCE_MS = 40_000

/** What a feed asks of the database. */
interface LiveSource {
  live(
    wanted: { readonly isVisible: boolean },
    options: { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<LiveMessage>>
}

interface LiveFeedOptions {
  readonly client: LiveSource
  readonly databaseId: string
  /** Whether a line may stay open while the window is not seen. */
  readonly canListenWhileHidden: boolean
}

/** Hears what happens in one database and has the screen read again, at a bounded pace. */
export class LiveFeed {
  readonly sessions = new SessionFeeds()
  readonly #client: LiveSource
  readonly #canListenWhileHidden: boolean
  readonly #reader: ScreenReader
  readonly #listeners = new Set<() => void>()
  #state = START
  #round: AbortController | null = null
  #silence: ReturnType<typeof setTimeout> | undefined
  /** Heard, but not told yet. */
  #heard: NewEvent[] = []
  #telling: ReturnType<typeof setTimeout> | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  #latencyAt = Number.NEGATIVE_INFINITY

  constructor({ client, databaseId, canListenWhileHidden }: LiveFeedOptions) {
    this.#client = client
    this.#canListenWhileHidden = canListenWhileHidden
    this.#reader = new ScreenReader({
      queryKey: [['db', databaseId]],
      isStill: () => this.#isStill(),
      onRound: () => this.#set({ revision: this.#state.revision + 1, missed: 0 }),
    })
  }

  readonly getState = (): LiveState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Listens until the returned function is called. */
  start(): () => void {
    const stop = new AbortController()
    const restart = (): void => this.#round?.abort()
    document.addEventListener('visibilitychange', restart, { signal: stop.signal })
    const unsubscribe = subscribeHolds(() => this.#reader.schedule())
    void this.#listen(stop.signal)
    return () => {
      stop.abort()
      restart()
      unsubscribe()
      clearTimeout(this.#silence)
      clearTimeout(this.#telling)
      this.#telling = undefined
      this.#reader.stop()
    }
  }

  setPaused(isPaused: boolean): void {
    this.#set({ isPaused })
    this.#reader.schedule()
  }

  setWriting(isWritingUnlocked: boolean, unlockedUntil: number | null): void {
    this.#set({ isWritingUnlocked, unlockedUntil })
  }

  setReport(report: ConnectionReport | null): void {
    if (report !== null) this.#hearReport(report)
  }

  dismissReopened(): void {
    this.#set({ reopened: null })
  }

  /** Has everything on screen read again, for example after an action of ours. */
  refresh(): void {
    this.#reader.request()
  }

  async #listen(stop: AbortSignal): Promise<void> {
    let failures = 0
    while (!stop.aborted) {
      const round = new AbortController()
      this.#round = round
      const isVisible = document.visibilityState === 'visible'
      if (!isVisible && !this.#canListenWhileHidden) {
        clearTimeout(this.#silence)
        // A change of visibility ends the round; `hello` then has the screen read again.
        await aborted(round.signal)
        continue
      }
      let trouble: DatabaseTrouble | null = null
      try {
        const messages = await this.#client.live({ isVisible }, { signal: round.signal })
        for await (const message of messages) {
          if (stop.aborted) return
          failures = 0
          this.#watchSilence(round)
          this.#hear(message)
        }
      } catch (error) {
        trouble = troubleOf(error)
        if (trouble !== null && !stop.aborted) this.#set({ trouble })
      }
      if (stop.aborted) return
      // A change of visibility ends the round on purpose: no back-off, nothing to report.
      if (round.signal.aborted && round.signal.reason !== 'silence') continue
      failures += 1
      // A trouble that was told is an answer; one of before says nothing about the line.
      this.#set({ connection: trouble === null ? 'lost' : 'live' })
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 100 * 2 ** failures)))
    }
  }

  #watchSilence(round: AbortController): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => round.abort('silence'), SILENCE_MS)
  }

  #hear(message: LiveMessage): void {
    switch (message.kind) {
      case 'hello':
        // Whatever happened before or between two subscriptions was not heard.
        if (this.#state.connection === 'connecting') this.#reader.rest(FIRST_REST_MS)
        this.#set({
          connection: 'live',
          isWritingUnlocked: message.isWritingUnlocked,
          trouble: null,
        })
        return this.refresh()
      case 'events':
        this.#hearEvents(message)
        return this.refresh()
      case 'changed':
        this.#setSoon({ commits: this.#state.commits + 1 })
        if (this.#state.trouble !== null) this.#recover()
        return this.refresh()
      case 'counts':
        return this.#hearCounts(message)
      case 'reopened':
        this.#set({ reopened: message, commits: this.#state.commits + 1 })
        return this.#recover()
      case 'trouble':
        return this.#set({ trouble: message.trouble, reopened: null })
      case 'writing':
        return this.setWriting(
          message.isUnlocked,
          message.isUnlocked ? this.#state.unlockedUntil : null,
        )
      case 'connection':
        return this.#hearReport(message.report)
      case 'pulse':
        return
    }
  }

  #hearEvents({ events, latencyMs }: Extract<LiveMessage, { kind: 'events' }>): void {
    for (const event of events) this.#heard.push(event)
    const now = performance.now()
    const isLatencyDue = now - this.#latencyAt >= LATENCY_EVERY_MS
    if (isLatencyDue) this.#latencyAt = now
    if (this.#state.trouble !== null) this.#set({ trouble: null })
    this.#setSoon({
      latencyMs: isLatencyDue ? latencyMs : this.#state.latencyMs,
      commits: this.#state.commits + 1,
      missed: this.#isStill() ? this.#state.missed + events.length : 0,
    })
  }

  /** The file can be read again, or is another one: even what was read once is read anew. */
  #recover(): void {
    this.#set({ trouble: null })
    this.#reader.readAll()
  }

  /** What was asked for while the server was away is asked for again once it is back. */
  #hearReport(report: ConnectionReport): void {
    const before = this.#state.report
    const { unlockedUntil } = report
    this.#set({ report, unlockedUntil })
    const wasAway = before !== null && before.state.status !== 'connected'
    if (wasAway && report.state.status === 'connected') this.#recover()
  }

  /** The list and its counts belong together: what is shown of them is read again when they move on. */
  #hearCounts(counts: LiveCounts): void {
    const before = this.#state.counts
    this.#set({ counts })
    if (
      before === null ||
      before.countedAt !== counts.countedAt ||
      before.sessions !== counts.sessions
    ) {
      this.refresh()
    }
  }

  #isStill(): boolean {
    return this.#state.isPaused || isHeldStill()
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change }
    this.#tell()
  }

  /** Of what may come sixty times a second: each time the screen is told costs it a drawing. */
  #setSoon(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change }
    const restMs = this.#toldAt + TELL_EVERY_MS - performance.now()
    if (restMs <= 0) this.#tell()
    else this.#telling ??= setTimeout(() => this.#tell(), restMs)
  }

  #tell(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    this.#toldAt = performance.now()
    const heard = this.#heard
    this.#heard = []
    this.sessions.add(heard)
    for (const listener of this.#listeners) listener()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
