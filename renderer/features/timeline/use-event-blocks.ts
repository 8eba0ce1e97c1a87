import { useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'

import type { EventRow } from '../../../src/model/event.ts'
import { useDatabase } from '../../api/database-context.ts'
import { queryClient } from '../../api/query-client.ts'
import { BLOCK, blockOf } from './block-of.ts'

/** A person who scrolls through a million events must not collect them all. */
const KEEP_MS = 10_000

export interface EventBlocks {
  /** The event; null when it is not stored; undefined while it is on its way. */
  readonly find: (index: number) => EventRow | null | undefined
  readonly error: unknown
  readonly retry: () => void
}

/** Reads the blocks in view; what scrolls out of view before it arrived is not read at all. */
export function useEventBlocks(sessionId: string, blocks: readonly number[]): EventBlocks {
  const options = useBlockOptions(sessionId)
  const results = useQueries({ queries: blocks.map((block) => options(block)) })
  const failed = results.find((result) => result.isError && result.data === undefined)
  return {
    find: (index) => {
      const result = results[blocks.indexOf(blockOf(index))]
      if (result?.data === undefined) return undefined
      // A block that was read before its last events were appended does not know of them.
      return findRow(result.data, index) ?? (result.isFetching ? undefined : null)
    },
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  }
}

/** Further blocks are read when they are scrolled to. */
const MOST_NEW_BLOCKS = 3

/** Reads the blocks of new events again; resolves when the events are there to be shown, or are not stored. */
export function useReadNew(
  sessionId: string,
): (range: { readonly from: number; readonly to: number }) => Promise<void> {
  const options = useBlockOptions(sessionId)
  return useCallback(
    async ({ from, to }) => {
      const oldest = Math.max(blockOf(from), blockOf(to) - MOST_NEW_BLOCKS + 1)
      for (let block = blockOf(to); block >= oldest; block -= 1) {
        const read = () => queryClient.fetchQuery({ ...options(block), staleTime: 0 })
        // A reading that was under way already is joined, and may have begun before the events were appended.
        if (findRow(await read(), Math.min(to, (block + 1) * BLOCK)) === null) await read()
      }
    },
    [options],
  )
}

function useBlockOptions(sessionId: string) {
  const { queries } = useDatabase()
  return useCallback(
    (block: number) =>
      queries.events.range.queryOptions({
        input: { sessionId, from: block * BLOCK + 1, to: (block + 1) * BLOCK },
        gcTime: KEEP_MS,
      }),
    [queries, sessionId],
  )
}

function findRow(rows: readonly EventRow[], index: number): EventRow | null {
  const first = rows[0]
  if (first === undefined) return null
  const direct = rows[index - first.index]
  if (direct?.index === index) return direct
  return rows.find((row) => row.index === index) ?? null
}
