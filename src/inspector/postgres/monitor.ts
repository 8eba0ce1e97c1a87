import { Heads } from './heads.ts'
import type { Asker } from './asker.ts'
import { listed, sessionPage } from './sessions.ts'
import { closeLook, newEvents, type Signs, signs, type WatchedRange } from './signs.ts'
import { StoreTrouble } from '../../store/trouble.ts'

/** Blocks before the last one that are looked at: rows on their way in fill several at a time. */
const MARGIN_BLOCKS = 2
/** More new blocks than this are left to reading all heads. */
const MAX_NEW_BLOCKS = 256
/** How long after it was read a range counts as being looked at. */
const WATCHED_MS = 20_000
const MAX_WATCHED = 4
const POLL_MS = { visible: { min: 50, max: 250 }, hidden: { min: 1000, max: 5000 } }
/** The server is asked for no more than this part of the time. */
const POLL_FACTOR = 5

/**
 * Notices that something was written to the a2 tables. There is no number that all events share: what
 * changes for certain with every commit of the server is its snapshot; whether that concerns these
 * tables is told by their newest blocks, by the rows someone looks at, and, late, by the statistics.
 */
export class Monitor {
  readonly heads: Heads
  readonly #asker: Asker
  readonly #watched = new Map<string, WatchedRange & { readonly until: number }>()
  #versions = new Map<string, string>()
  #signs: Signs | null = null
  #newest: string | null = null
  #changes = 0
  #looking: Promise<void> | null = null
  #trouble: unknown = null
  #latencyMs: number | null = null

  constructor(asker: Asker) {
    this.#asker = asker
    this.heads = new Heads({
      sessionPage: (after, limit) =>
        asker.ask((scope) => sessionPage(scope, after, limit), 'background'),
      newEvents: (moves, limit) => asker.ask((scope) => newEvents(scope, moves, limit), 'tail'),
      headOf: async (id) => (await asker.ask((scope) => listed(scope, [id]), 'tail'))[0]?.head ?? 0,
      onMoved: () => {
        this.#changes += 1
      },
      onRestored: () => {
        asker.noteRestored()
        this.#changes += 1
      },
      trouble: () => this.#trouble,
      look: () => this.look(),
    })
  }

  /** Changes whenever something was seen to be written. */
  get stamp(): string {
    return `${this.#changes}`
  }

  get trouble(): unknown {
    return this.#trouble
  }

  /** How many blocks the table of events had at the last look; null before the first. */
  get blocks(): number | null {
    return this.#signs?.blocks ?? null
  }

  /** Of a round trip lately; 0 before the first. */
  get latencyMs(): number {
    return this.#latencyMs ?? 0
  }

  /** The pause between two looks, so that a slow way is not filled with them. */
  pollMs(pace: 'visible' | 'hidden'): number {
    const { min, max } = POLL_MS[pace]
    return Math.round(Math.min(max, Math.max(min, POLL_FACTOR * this.latencyMs)))
  }

  /** Someone looks at these rows: changes of theirs are noticed at once. */
  watch({ sessionId, from, to }: WatchedRange): void {
    const key = JSON.stringify([sessionId, from, to])
    this.#watched.delete(key)
    const until = performance.now() + WATCHED_MS
    this.#watched.set(key, { sessionId, from, to, until })
    const oldest = this.#watched.keys().next().value
    if (this.#watched.size > MAX_WATCHED && oldest !== undefined) this.#watched.delete(oldest)
  }

  /** Looks once, however many ask at the same time. A failure is kept as the trouble. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOrNote().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookOrNote(): Promise<void> {
    try {
      await this.#lookNow()
      this.#trouble = null
    } catch (error) {
      this.#signs = null
      // Stopped by the person, who meant something else: the next look says how things are.
      const isStopped = error instanceof StoreTrouble && error.trouble.kind === 'cancelled'
      if (!isStopped) this.#trouble = error
    }
  }

  async #lookNow(): Promise<void> {
    const known = this.#signs
    const fileEpoch = this.#asker.epoch.file
    const found = await this.#readSigns()
    if (found.blocks === null) {
      // The table is gone; there may be another one.
      await this.#asker.detect()
      throw new StoreTrouble({ kind: 'no-a2-tables', path: this.#asker.server.path, code: null })
    }
    const hasMoved = known?.snapshot !== found.snapshot
    const isCertain = known !== null && known.counters !== found.counters
    if (!hasMoved && !isCertain) {
      this.heads.sweepIfDue()
      return
    }
    // The first look has nothing to compare with: on a long way, one question less before a screen shows.
    const isFirst = known === null && !this.heads.isFollowed
    const isSeen = !isFirst && (await this.#lookClosely(found, known))
    this.#signs = found
    if (isCertain || isSeen || known === null) this.#changes += 1
    // Rows may have gone where nobody looks closely; the statistics would tell much later.
    this.heads.sweepSoon()
    if (this.#asker.epoch.file !== fileEpoch) this.heads.reset()
  }

  async #readSigns(): Promise<Signs> {
    const sentAt = Date.now()
    const startedAt = performance.now()
    const found = await this.#asker.ask(signs, 'tail')
    const tookMs = performance.now() - startedAt
    this.#asker.clock.learn(found.now, { sentAt, tookMs })
    this.#latencyMs = this.#latencyMs === null ? tookMs : 0.8 * this.#latencyMs + 0.2 * tookMs
    return found
  }

  /** Whether rows of ours were seen to change. */
  async #lookClosely(found: Signs, known: Signs | null): Promise<boolean> {
    const blocks = found.blocks ?? 0
    const first = Math.min(known?.blocks ?? blocks, blocks) - MARGIN_BLOCKS
    const from = Math.max(0, first, blocks - MAX_NEW_BLOCKS)
    const now = performance.now()
    for (const [key, { until }] of this.#watched) if (until < now) this.#watched.delete(key)
    const ranges = [...this.#watched]
    const seen = await this.#asker.ask(
      (scope) =>
        closeLook(
          scope,
          from,
          ranges.map(([, range]) => range),
        ),
      'tail',
    )
    if (this.heads.isFollowed) this.heads.note(seen.heads)
    const versions = new Map(ranges.map(([key], n) => [key, seen.watched[n] ?? '']))
    // A range that is looked at for the first time has not changed.
    const isWatchedChanged = [...versions].some(
      ([key, version]) => (this.#versions.get(key) ?? version) !== version,
    )
    const newest = `${from} ${seen.newest}`
    const isNewestChanged = this.#newest !== newest
    this.#versions = versions
    this.#newest = newest
    return isWatchedChanged || isNewestChanged
  }
}
