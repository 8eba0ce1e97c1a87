import type { NewEvent } from '../../src/model/live.ts'

/** What was heard of one session since its screen opened. */
export interface SessionFeed {
  /** Highest index heard; 0 when nothing was heard yet. */
  readonly head: number
  /** Events heard. */
  readonly heard: number
  /** The last events heard, ascending, at most 500. */
  readonly latest: readonly NewEvent[]
}

const NOTHING: SessionFeed = { head: 0, heard: 0, latest: [] }
const MOST = 500

/** Only sessions somebody looks at are kept, and of those only the last events: nothing grows. */
export class SessionFeeds {
  readonly #feeds = new Map<
    string,
    { shown: SessionFeed; next: SessionFeed; listeners: Set<() => void> }
  >()

  get(sessionId: string): SessionFeed {
    return this.#feeds.get(sessionId)?.shown ?? NOTHING
  }

  /** The highest index heard, whether the screen shows it yet or not; 0 when nothing was heard. */
  heardHead(sessionId: string): number {
    return this.#feeds.get(sessionId)?.next.head ?? 0
  }

  subscribe(sessionId: string, listener: () => void): () => void {
    let feed = this.#feeds.get(sessionId)
    if (feed === undefined) {
      feed = { shown: NOTHING, next: NOTHING, listeners: new Set() }
      this.#feeds.set(sessionId, feed)
    }
    const { listeners } = feed
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#feeds.delete(sessionId)
    }
  }

  add(events: readonly NewEvent[]): void {
    const added = new Map<string, NewEvent[]>()
    for (const event of events) {
      if (!this.#feeds.has(event.sessionId)) continue
      const group = added.get(event.sessionId)
      if (group === undefined) added.set(event.sessionId, [event])
      else group.push(event)
    }
    for (const [sessionId, group] of added) this.#addTo(sessionId, group)
  }

  #addTo(sessionId: string, added: readonly NewEvent[]): void {
    const feed = this.#feeds.get(sessionId)
    if (feed === undefined) return
    feed.next = {
      head: added.reduce((head, event) => Math.max(head, event.index), feed.next.head),
      heard: feed.next.heard + added.length,
      latest: [...feed.next.latest, ...added].slice(-MOST),
    }
  }

  /** Shows what was added; called when the screen reads again. */
  publish(): void {
    for (const feed of this.#feeds.values()) {
      if (feed.shown === feed.next) continue
      feed.shown = feed.next
      for (const listener of feed.listeners) listener()
    }
  }
}
