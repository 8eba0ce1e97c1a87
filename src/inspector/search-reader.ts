import type { SearchHit, SearchPlace, SearchRequest } from '../model/search.ts'
import type { EventKey } from './queries/event.ts'
import type { SearchSlice, SliceBounds } from './queries/search.ts'

/** What a search needs from the tables, rows below the marker included. Each question leaves nothing open; all throw StoreTrouble. */
export interface SearchReader {
  /** Where a search begins; null when there is nothing to look through. */
  start(request: SearchRequest): Promise<SearchPlace | null>
  /** One slice from a place on, newest first, but for places `by: 'key'`. */
  slice(request: SearchRequest, place: SearchPlace, bounds: SliceBounds): Promise<SearchSlice>
  /** What a list shows of found events, in the order of the keys; those that are gone by now are left out. */
  hits(request: SearchRequest, keys: readonly EventKey[]): Promise<SearchHit[]>
}
