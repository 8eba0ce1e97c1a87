import type { SearchReader } from '../search-reader.ts'
import type { Asker } from './asker.ts'
import { blockCount } from './facts.ts'
import { canBeStored } from './pieces.ts'
import { searchSlice, sessionBounds } from './search.ts'
import { searchHits } from './search-hits.ts'

/** Searches through the background connection, each slice by one statement. */
export function postgresSearch(asker: Asker): SearchReader {
  const ask: Asker['ask'] = (make) => asker.ask(make, 'background')
  return {
    start: async ({ text, sessionId, eventType }) => {
      if (!canBeStored(text, sessionId ?? '', eventType ?? '')) return null
      if (sessionId !== null) return ask((scope) => sessionBounds(scope, sessionId))
      if (!(await asker.schema()).hasBlocks) return { by: 'key', after: null, looked: 0 }
      const blocks = await ask(blockCount)
      return blocks === 0 ? null : { by: 'block', blocks, block: blocks, line: 0, floor: 0 }
    },
    slice: async (request, place, bounds) => {
      const slice = await ask((scope) => searchSlice(scope, request, place, bounds))
      if (slice.next !== null || place.by !== 'block' || place.floor > 0) return slice
      // Rows that were written to meanwhile lie in new blocks now, and the old ones were looked at already.
      const blocks = await ask(blockCount)
      const floor = place.blocks
      const next = blocks > floor ? { ...place, block: blocks, line: 0, floor } : null
      return { ...slice, next }
    },
    hits: async (request, keys) =>
      keys.length === 0 ? [] : ask((scope) => searchHits(scope, request, keys)),
  }
}
