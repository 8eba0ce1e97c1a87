import type { SearchCursor, SearchMessage, SearchRequest } from '../model/search.ts'
import type { Pace } from './pace.ts'
import type { Reader } from './reader.ts'
import { SearchRun } from './search-run.ts'

/** Looks for a text in the events, in slices, beside everything else. */
export class Search {
  readonly #reader: Reader
  readonly #pace: Pace

  constructor(reader: Reader, pace: Pace) {
    this.#reader = reader
    this.#pace = pace
  }

  /** Messages until the end, or until it is stopped: the slice under way is the last one then. */
  run(
    { after, ...request }: SearchRequest & { readonly after: SearchCursor | null },
    stopped: AbortSignal,
  ): AsyncGenerator<SearchMessage, undefined> {
    return new SearchRun({ reader: this.#reader, pace: this.#pace, request, stopped }).messages(
      after,
    )
  }
}
