import type { DeadLetter, DeadLetterView } from '../model/dead-letter.ts'
import type { EventRow } from '../model/event.ts'
import { StoreTrouble } from '../store/trouble.ts'
import type { Background } from './background.ts'
import type { DeadList, DeadRow } from './dead-list.ts'
import { FrozenViews } from './frozen-views.ts'
import { withListNames } from './list-names.ts'
import { found } from './not-found.ts'
import type { Reader } from './reader.ts'

const PATIENCE_MS = 40
/** A pass that will take this long is not waited for once there is something to show. */
const HOPELESS_MS = 3 * PATIENCE_MS
const SCREENFUL = 50
/** Rows read at a time to filter by what only the table holds. */
const FILTER_ROWS = 200
const FILTER_MS = 1000

/** Dead letters across all sessions. */
export class DeadLetters {
  readonly #reader: Reader
  readonly #background: Background
  readonly #views = new FrozenViews<DeadList>()

  constructor(reader: Reader, background: Background) {
    this.#reader = reader
    this.#background = background
  }

  async view({ text }: { text: string }): Promise<DeadLetterView> {
    await this.#reader.capabilities()
    await this.#freshen()
    if (this.#background.workTrouble !== null && !this.#background.isRunning) {
      throw new StoreTrouble(this.#background.workTrouble)
    }
    const { work } = this.#background
    const { rows, isAll } = await this.#matching(work.dead(), text.toLowerCase())
    return {
      viewId: this.#views.add(rows, this.#reader.epoch.file),
      total: rows.length,
      sessions: rows.countSessions(),
      isComplete: work.isComplete && isAll,
      countedAt: work.countedAt,
    }
  }

  async rows(wanted: { viewId: string; offset: number; limit: number }): Promise<DeadLetter[]> {
    const rows = found(this.#views.find(wanted.viewId, this.#reader.epoch.file), 'view')
    const shown = rows.slice(wanted.offset, wanted.offset + wanted.limit)
    const { work } = this.#background
    const events = await this.#reader.eventRows(shown, work)
    return shown.map(({ sessionId, index, lane }, n) => {
      const indexes = lane === null ? [] : work.laneIndexes(sessionId, lane)
      const event = events[n] ?? null
      return {
        sessionId,
        index,
        event: event && withListNames(event),
        waitingBehind: (indexes ?? []).filter((other) => other > index).length,
        isWaitingBehindLowerBound: indexes === null,
      }
    })
  }

  /** Waits for a complete list, but not when there is a screenful and no hope that it is complete soon. */
  async #freshen(): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const startedAt = performance.now()
    const stop = this.#background.onProgress(() => {
      const { deadLetters, progress } = this.#background.counts()
      const isHopeless = performance.now() - startedAt > progress * HOPELESS_MS
      if (deadLetters >= SCREENFUL && isHopeless) resolve()
    })
    try {
      await Promise.race([this.#background.freshen(PATIENCE_MS), enough])
    } finally {
      stop()
    }
  }

  async #matching(rows: DeadList, text: string): Promise<{ rows: DeadList; isAll: boolean }> {
    if (text === '') return { rows, isAll: true }
    const stopAt = performance.now() + FILTER_MS
    const places: number[] = []
    for (let from = 0; from < rows.length; from += FILTER_ROWS) {
      if (performance.now() > stopAt) return { rows: rows.pick(places), isAll: false }
      const some = rows.slice(from, from + FILTER_ROWS)
      const events = await this.#reader.eventRows(some, null)
      for (const [n, row] of some.entries()) {
        if (matches(row, events[n] ?? null, text)) places.push(from + n)
      }
    }
    return { rows: rows.pick(places), isAll: true }
  }
}

function matches({ sessionId }: DeadRow, event: EventRow | null, text: string): boolean {
  return [sessionId, event?.type, event?.lane, event?.lastErrorStart].some(
    (value) => value?.toLowerCase().includes(text) === true,
  )
}
