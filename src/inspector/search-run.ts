import {
  progressOf,
  type SearchCursor,
  type SearchHit,
  type SearchMessage,
  type SearchPlace,
  type SearchRequest,
} from '../model/search.ts'
import type { Pace } from './pace.ts'
import type { FoundEvent } from './queries/search.ts'
import type { Reader } from './reader.ts'

/** After so many hits a search waits to be told to go on. */
const MAX_HITS = 1000
/** Few at first, so that they are there soon. */
const SLICE_HITS = { first: 25, later: 200 }
/** Hits are read in groups, of about so many bytes of payload. */
const GROUP = { hits: 50, bytes: 2 * 1_048_576 }
const TELL_MS = { hits: 50, progress: 200 }
/** How much of a table one slice looks at. */
const SIZES: Record<SearchPlace['by'], { first: number; min: number; max: number }> = {
  rowid: { first: 1000, min: 50, max: 2_000_000 },
  block: { first: 32, min: 1, max: 2800 },
  index: { first: 500, min: 20, max: 2_000_000 },
  key: { first: 500, min: 20, max: 20_000 },
}

interface SearchRunOptions {
  readonly reader: Reader
  readonly pace: Pace
  readonly request: SearchRequest
  readonly stopped: AbortSignal
}

/** One search from its beginning, or from where an earlier one stopped. */
export class SearchRun {
  readonly #options: SearchRunOptions
  readonly #known = new Set<string>()
  #hits: SearchHit[] = []
  #left = MAX_HITS
  #toldAt = 0
  #hasToldHits = false
  #stamp: string | null = null

  constructor(options: SearchRunOptions) {
    this.#options = options
  }

  /** Ends without an `end` when it was stopped. */
  async *messages(after: SearchCursor | null): AsyncGenerator<SearchMessage, undefined> {
    const { reader, request } = this.#options
    let place = after === null ? await reader.search.start(request) : after.place
    const file = reader.identity()
    const { epoch } = reader
    const isReplaced = (): boolean =>
      reader.epoch.file !== epoch.file ||
      (place?.by === 'rowid' && reader.epoch.schema !== epoch.schema)
    if (after !== null && (after.file !== file || !(await this.#canGoOn(after.place)))) {
      yield { kind: 'end', reason: 'replaced' }
      return
    }
    let size = place === null ? 0 : SIZES[place.by].first
    while (place !== null && this.#left > 0) {
      // oxlint-disable-next-line no-await-in-loop -- one slice after the other
      const slice = await this.#readSlice(place, size)
      if (this.#isOver) return
      if (isReplaced()) {
        yield { kind: 'end', reason: 'replaced' }
        return
      }
      const isKeyOrder = place.by === 'key'
      ;({ place, size } = slice)
      if (this.#isDue(place)) yield this.#step(place, { file, isKeyOrder })
    }
    yield { kind: 'end', reason: place === null ? 'complete' : 'limit' }
  }

  /** The rows may be numbered in another way by now. */
  async #canGoOn({ by }: SearchPlace): Promise<boolean> {
    const { hasRowids, hasBlocks } = await this.#options.reader.capabilities()
    return (by !== 'rowid' || hasRowids) && (by !== 'block' || hasBlocks)
  }

  get #isOver(): boolean {
    return this.#options.stopped.aborted || this.#options.pace.isClosed
  }

  async #readSlice(
    place: SearchPlace,
    size: number,
  ): Promise<{ place: SearchPlace | null; size: number }> {
    const { reader, request, pace } = this.#options
    const isFirst = this.#left === MAX_HITS
    const limit = Math.min(this.#left, isFirst ? SLICE_HITS.first : SLICE_HITS.later)
    const { found, next, tookMs } = await this.#inTurn(async () => {
      const startedAt = performance.now()
      const slice = await reader.search.slice(request, place, { size, limit })
      return { ...slice, tookMs: performance.now() - startedAt }
    })
    this.#left -= found.length
    for (const group of toGroups(found.filter((one) => this.#isNew(one)))) {
      if (this.#isOver) break
      // oxlint-disable-next-line no-await-in-loop -- each is small, so that others get their turn
      this.#hits.push(...(await this.#inTurn(() => reader.search.hits(request, group))))
    }
    return { place: next, size: pace.nextSize(size, tookMs, SIZES[place.by]) }
  }

  /** A row that is written to may have moved to where it is found again. */
  #isNew({ sessionId, index }: FoundEvent): boolean {
    const name = `${index} ${sessionId}`
    if (this.#known.has(name)) return false
    this.#known.add(name)
    return true
  }

  /** Whoever writes is given way to, also where nobody watches the database. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const { reader, pace } = this.#options
    const stamp = reader.stamp()
    if (this.#stamp !== null && this.#stamp !== stamp) pace.noteChange()
    this.#stamp = stamp
    return pace.slice(run)
  }

  #isDue(place: SearchPlace | null): boolean {
    if (place === null || this.#left === 0) return true
    if (this.#hits.length > 0 && !this.#hasToldHits) return true
    const restedMs = performance.now() - this.#toldAt
    return restedMs > (this.#hits.length > 0 ? TELL_MS.hits : TELL_MS.progress)
  }

  #step(
    place: SearchPlace | null,
    { file, isKeyOrder }: { readonly file: string | null; readonly isKeyOrder: boolean },
  ): SearchMessage {
    const hits = this.#hits
    this.#hits = []
    this.#toldAt = performance.now()
    this.#hasToldHits ||= hits.length > 0
    return {
      kind: 'step',
      hits,
      progress: place === null ? { share: 1, looked: null } : progressOf(place),
      isKeyOrder,
      next: place === null ? null : { place, file },
    }
  }
}

function toGroups(found: readonly FoundEvent[]): FoundEvent[][] {
  const groups: FoundEvent[][] = []
  let bytes = 0
  for (const one of found) {
    const group = groups.at(-1)
    if (group === undefined || group.length >= GROUP.hits || bytes >= GROUP.bytes) {
      groups.push([one])
      bytes = one.bytes
    } else {
      group.push(one)
      bytes += one.bytes
    }
  }
  return groups
}
