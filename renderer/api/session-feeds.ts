import type { NewEvent } from '../../src/model/live.ts'

interface Feed {
  head: number
  readonly listeners: Set<() => void>
}

/** How far each session somebody looks at was heard to reach; other sessions are not kept. */
export class SessionFeeds {
  readonly #feeds = new Map<string, Feed>()

  /** The highest index heard, whether the screen shows it yet or not; 0 when nothing was heard. */
  heardHead(sessionId: string): number {
    return this.#feeds.get(sessionId)?.head ?? 0
  }

  subscribe(sessionId: string, listener: () => void): () => void {
    let feed = this.#feeds.get(sessionId)
    if (feed === undefined) {
      feed = { head: 0, listeners: new Set() }
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
    const moved = new Set<Feed>()
    for (const { sessionId, index } of events) {
      const feed = this.#feeds.get(sessionId)
      if (feed === undefined || index <= feed.head) continue
      feed.head = index
      moved.add(feed)
    }
    for (const feed of moved) for (const listener of feed.listeners) listener()
  }
}
