import type { Query } from '@tanstack/react-query'

import { troubleOf } from './errors.ts'
import { queryClient } from './query-client.ts'

/** Two rounds of reading are at least this far apart. */
const PACE_MS = { visible: 100, hidden: 2_000 }
/** What takes long is read less often: at most a quarter of the time, and at least this often. */
const REST_FACTOR = 3
const LONGEST_REST_MS = 1_000
/** What failed is asked for again at most this often. */
const ERROR_REST_MS = 2_000

interface ScreenReaderOptions {
  readonly queryKey: readonly unknown[]
  /** While true nothing is read; what was asked for meanwhile is read afterwards. */
  readonly isStill: () => boolean
  /** Called at the beginning of each round. */
  readonly onRound: () => void
}

/** Has what is on screen read again, at a bounded pace and never two rounds at once. */
export class ScreenReader {
  readonly #options: ScreenReaderOptions
  #isWanted = false
  #isReading = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #later: ReturnType<typeof setTimeout> | undefined
  #notBefore = 0

  constructor(options: ScreenReaderOptions) {
    this.#options = options
  }

  /** Asks for a round. Many requests at once are one round. */
  request(): void {
    this.#isWanted = true
    this.schedule()
  }

  /** Begins a round that is due; called when the screen may move again. */
  schedule(): void {
    if (!this.#isWanted || this.#timer !== undefined || this.#isReading) return
    if (this.#options.isStill()) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        if (!this.#options.isStill()) void this.#read()
      },
      Math.max(0, this.#notBefore - performance.now()),
    )
  }

  /** No round begins before that. */
  rest(ms: number): void {
    this.#notBefore = performance.now() + ms
  }

  /** Everything at once, also what is else read only once: the file is another one. */
  readAll(): void {
    void queryClient.invalidateQueries({ queryKey: this.#options.queryKey })
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#later)
    this.#timer = undefined
  }

  async #read(): Promise<void> {
    this.#isWanted = false
    this.#isReading = true
    this.#options.onRound()
    const startedAt = performance.now()
    const restingErrors = this.#restingErrors()
    const resting = new Set(restingErrors.map((query) => query.queryHash))
    await queryClient.invalidateQueries({
      queryKey: this.#options.queryKey,
      predicate: (query) => !isFrozen(query) && !resting.has(query.queryHash),
    })
    this.#isReading = false
    this.#restAfter(performance.now() - startedAt)
    if (restingErrors.some(hasJustFailed)) this.#requestLater()
    this.schedule()
  }

  #restAfter(tookMs: number): void {
    const pace = document.visibilityState === 'visible' ? PACE_MS.visible : PACE_MS.hidden
    this.rest(Math.max(pace, Math.min(LONGEST_REST_MS, REST_FACTOR * tookMs)))
  }

  /** What failed a moment ago is not asked for at every change: its message would only flicker. */
  #restingErrors(): readonly Query[] {
    const { queryKey } = this.#options
    return queryClient.getQueryCache().findAll({ queryKey, type: 'active', predicate: isResting })
  }

  #requestLater(): void {
    clearTimeout(this.#later)
    this.#later = setTimeout(() => this.request(), ERROR_REST_MS)
  }
}

/** Read once and kept as it was then. What could not be read yet has nothing to keep. */
function isFrozen({ meta, state }: Query): boolean {
  return meta?.['isReadOnce'] === true && state.data !== undefined
}

/** What a person stopped on the screen is asked for again by the person only. */
function isResting(query: Query): boolean {
  const isOfTheFrame = query.meta?.['isOfTheFrame'] === true
  return (wasStopped(query.state.error) && !isOfTheFrame) || hasJustFailed(query)
}

function wasStopped(error: unknown): boolean {
  return troubleOf(error)?.kind === 'cancelled'
}

function hasJustFailed({ state }: Query): boolean {
  return (
    state.status === 'error' &&
    !wasStopped(state.error) &&
    Date.now() - state.errorUpdatedAt < ERROR_REST_MS
  )
}
