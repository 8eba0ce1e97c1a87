import { setTimeout as sleepFor } from 'node:timers/promises'

export interface PollingSource<Event> {
  /** The next events after an index, ascending; empty when there are none yet. */
  readAfter(index: number): Promise<readonly Event[]> | readonly Event[]
  /** Resolves when it is worth asking again, or when `signal` aborts. Called after an empty answer. */
  waitForNews(signal: AbortSignal): Promise<void>
  /** Called once, when the stream ends for any reason. */
  end?(): void
}

/** Delivers events in order until `signal` aborts. */
export async function* pollingStream<Event extends { readonly index: number }>(
  source: PollingSource<Event>,
  afterIndex: number,
  signal: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  let cursor = afterIndex
  try {
    while (!signal.aborted) {
      const events = await source.readAfter(cursor)
      for (const event of events) {
        if (signal.aborted) return
        cursor = event.index
        yield event
      }
      if (events.length === 0) await source.waitForNews(signal)
    }
  } catch (error) {
    // What fails because the end has come is the end.
    if (!signal.aborted) throw error
  } finally {
    source.end?.()
  }
}

/** Resolves after a while, or at once when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
