import { ORPCError } from '@orpc/client'

import type { BackgroundClient } from '../../../src/contract/index.ts'
import type {
  SearchCursor,
  SearchHit,
  SearchMessage,
  SearchProgress,
  SearchRequest,
} from '../../../src/model/search.ts'
import { wasInterrupted } from '../../api/errors.ts'

/** `paused`: by leaving the screen; it goes on by itself when the person comes back. */
export type SearchStatus =
  | 'running'
  | 'paused'
  | 'stopped'
  | 'limit'
  | 'complete'
  | 'replaced'
  | 'failed'

export interface SearchState {
  readonly status: SearchStatus
  /** In the order found; only ever grows. */
  readonly hits: readonly SearchHit[]
  readonly progress: SearchProgress
  readonly isKeyOrder: boolean
  readonly error: unknown
  /** When the search began, epoch ms by this machine's clock. */
  readonly startedAt: number
}

/** A process that ended is started anew; a search goes on in it. */
const RETRIES = 3
const RETRY_MS = 400

/** One search and what it found so far; outlives the screen, so that coming back finds it as it was. */
export class SearchRun {
  /** Names what is looked for. */
  readonly key: string
  #client: BackgroundClient
  readonly #request: SearchRequest
  readonly #listeners = new Set<() => void>()
  readonly #known = new Set<string>()
  #round: AbortController | null = null
  #next: SearchCursor | null = null
  #failures = 0
  #state: SearchState = {
    status: 'paused',
    hits: [],
    progress: { share: 0, looked: null },
    isKeyOrder: false,
    error: null,
    startedAt: Date.now(),
  }

  constructor(client: BackgroundClient, request: SearchRequest) {
    this.#client = client
    this.#request = request
    this.key = keyOf(request)
  }

  readonly getState = (): SearchState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The screen is there, perhaps with another connection than before. */
  resume(client: BackgroundClient): void {
    this.#client = client
    if (this.#state.status === 'paused') this.goOn()
  }

  /** The screen is gone. */
  pause(): void {
    if (this.#state.status === 'running') this.#halt('paused')
  }

  stop(): void {
    if (this.#state.status === 'running') this.#halt('stopped')
  }

  /** From where it stopped, or failed. */
  goOn(): void {
    this.#round?.abort()
    const round = new AbortController()
    this.#round = round
    this.#set({ status: 'running', error: null })
    void this.#listen(round.signal)
  }

  #halt(status: SearchStatus): void {
    this.#round?.abort()
    this.#set({ status })
  }

  async #listen(signal: AbortSignal): Promise<void> {
    try {
      const input = { ...this.#request, after: this.#next }
      for await (const message of await this.#client.search(input, { signal })) {
        if (signal.aborted) return
        this.#take(message)
      }
      if (!signal.aborted && this.#state.status === 'running') throw new Error('it ended too soon')
    } catch (error) {
      if (!signal.aborted) this.#fail(error, signal)
    }
  }

  #take(message: SearchMessage): void {
    this.#failures = 0
    if (message.kind === 'end') return this.#set({ status: message.reason })
    this.#next = message.next
    const fresh = message.hits.filter((hit) => this.#isNew(hit))
    this.#set({
      progress: message.progress,
      isKeyOrder: message.isKeyOrder,
      ...(fresh.length === 0 ? {} : { hits: [...this.#state.hits, ...fresh] }),
    })
  }

  /** A row that was written to meanwhile may be found at its old place and at its new one. */
  #isNew({ sessionId, index }: SearchHit): boolean {
    const name = `${index} ${sessionId}`
    if (this.#known.has(name)) return false
    this.#known.add(name)
    return true
  }

  #fail(error: unknown, signal: AbortSignal): void {
    this.#failures += 1
    const isAnswer = error instanceof ORPCError && !wasInterrupted(error)
    if (isAnswer || this.#failures > RETRIES) {
      return this.#set({ status: 'failed', error })
    }
    setTimeout(() => {
      if (!signal.aborted) void this.#listen(signal)
    }, RETRY_MS * this.#failures)
  }

  #set(change: Partial<SearchState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

export function keyOf(request: SearchRequest): string {
  const { text, scope, matchCase, sessionId, eventType } = request
  return JSON.stringify([text, scope, matchCase, sessionId, eventType])
}
