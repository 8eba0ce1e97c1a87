import type { Scope } from '../handle.ts'
import type { SearchReader } from '../search-reader.ts'
import { readSearchSlice, readSearchStart } from './search.ts'
import { readSearchHits } from './search-hits.ts'

/** `read` runs one question in a transaction of its own. */
export function sqliteSearch(read: <T>(ask: (scope: Scope) => T) => Promise<T>): SearchReader {
  return {
    start: (request) => read((scope) => readSearchStart(scope, request)),
    slice: (request, place, bounds) =>
      read((scope) => readSearchSlice(scope, request, place, bounds)),
    hits: (request, keys) => read((scope) => readSearchHits(scope, request, keys)),
  }
}
