import type {
  SessionChip,
  SessionCounts,
  SessionDetail,
  SessionSort,
  SessionSummary,
  SessionView,
} from '../model/session.ts'
import { StoreTrouble } from '../store/trouble.ts'
import type { Background } from './background.ts'
import { FrozenViews } from './frozen-views.ts'
import { KnownChips } from './known-chips.ts'
import { found } from './not-found.ts'
import type { Reader } from './reader.ts'
import { SessionPast } from './session-past.ts'
import { countSessionWork } from './session-work.ts'
import {
  countChips,
  OrderedSessions,
  placesWithChips,
  placesWithText,
  sortPlaces,
} from './session-order.ts'

/** How long a list may wait for the background to complete it; small databases are complete at once. */
const PATIENCE_MS = 40
const FIND_PATIENCE_MS = 200

export interface ViewRequest {
  readonly sort: SessionSort
  readonly direction: 'asc' | 'desc'
  readonly text: string
  readonly chips: readonly SessionChip[]
  readonly rows?: RowRange | undefined
}

interface RowRange {
  readonly offset: number
  readonly limit: number
}

/** The list of sessions and one session opened. */
export class Sessions {
  readonly #reader: Reader
  readonly #background: Background
  readonly #views = new FrozenViews<readonly string[]>()
  readonly #past: SessionPast
  readonly #chips: KnownChips

  constructor(reader: Reader, background: Background) {
    this.#reader = reader
    this.#background = background
    this.#past = new SessionPast(reader, background.scans)
    this.#chips = new KnownChips(background, () => reader.now())
  }

  async view({ sort, direction, text, chips, rows }: ViewRequest): Promise<SessionView> {
    const { sessions } = this.#background
    // Asked first, so that a database that cannot be read says why instead of showing an empty list.
    await this.#reader.capabilities()
    await this.#background.freshenIfQuick(PATIENCE_MS)
    if (this.#background.listTrouble !== null && !this.#background.isRunning) {
      throw new StoreTrouble(this.#background.listTrouble)
    }
    if (!sessions.isComplete || !this.#background.isFresh) await sessions.addRecent()
    const ordered = this.#ordered()
    const matching = placesWithText(ordered, text)
    const chosen = placesWithChips(ordered, matching, chips)
    const shown = sortPlaces(ordered, chosen, { sort, direction })
    const ids = Array.from({ length: shown.length }, (_, n) => ordered.id(shown[n]!))
    const view = {
      viewId: this.#views.add(ids, this.#reader.epoch.file),
      total: shown.length,
      ...this.#countsWith(countChips(ordered, matching)),
    }
    return rows === undefined ? view : { ...view, rows: await this.#summaries(ids, rows) }
  }

  counts({ text }: { text: string }): SessionCounts {
    return this.#countsWith(this.#chips.count(text))
  }

  async rows(wanted: RowRange & { readonly viewId: string }): Promise<(SessionSummary | null)[]> {
    const ids = found(this.#views.find(wanted.viewId, this.#reader.epoch.file), 'view')
    return this.#summaries(ids, wanted)
  }

  async #summaries(
    ids: readonly string[],
    { offset, limit }: RowRange,
  ): Promise<(SessionSummary | null)[]> {
    const summaries = await this.#reader.summaries(ids.slice(offset, offset + limit))
    return summaries.map((summary) => summary && { ...summary, ...this.#workOf(summary.id) })
  }

  async get(sessionId: string): Promise<SessionDetail> {
    const session = found(await this.#reader.findSession(sessionId), 'session')
    const past = await this.#past.read(session)
    const { scans, work: index } = this.#background
    const sources = { reader: this.#reader, scans, work: index }
    const work = await countSessionWork(sources, session.summary)
    return {
      summary: { ...session.summary, work, ...past.counts },
      lifetimes: past.lifetimes,
      reducers: session.reducers,
      readAt: session.readAt,
    }
  }

  /** Best first: exact, prefix, anywhere. */
  async find({ text, limit }: { text: string; limit: number }): Promise<string[]> {
    await this.#reader.capabilities()
    await this.#background.freshen(FIND_PATIENCE_MS)
    const byPrefix = await this.#reader.idsByPrefix(text, limit)
    const { sessions } = this.#background
    const wanted = text.toLowerCase()
    const rank = (id: string): number => {
      if (id === text) return 0
      const at = id.toLowerCase().indexOf(wanted)
      return at === 0 ? (id.length === text.length ? 1 : 2) : 3
    }
    const ranked: string[][] = [[], [], [], []]
    const matching: string[] = []
    for (const number of sessions.inOrder()) {
      const id = sessions.table.id(number)
      if (id.toLowerCase().includes(wanted)) matching.push(id)
    }
    for (const id of new Set([...byPrefix, ...matching])) ranked[rank(id)]?.push(id)
    return ranked.flat().slice(0, limit)
  }

  #workOf(sessionId: string): Pick<SessionSummary, 'work' | 'early'> {
    const { work: index, early: counts } = this.#background
    const work = index.countsOf(sessionId)
    const early = work === null ? counts.countOf(sessionId) : null
    return early === null ? { work } : { work, early }
  }

  #ordered(): OrderedSessions {
    const { sessions, work } = this.#background
    return new OrderedSessions(sessions.table, sessions.inOrder(), work)
  }

  #countsWith(chips: SessionCounts['chips']): SessionCounts {
    const { sessions, work } = this.#background
    return {
      known: sessions.size,
      isListComplete: sessions.isComplete,
      isWorkComplete: work.isComplete,
      countedAt: work.countedAt,
      chips,
    }
  }
}
