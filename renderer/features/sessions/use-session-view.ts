import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { PAGE_ROWS } from '../../lib/use-pages.ts'
import { useSessionsSearch } from '../../routes/use-search.ts'

/**
 * The frozen order of the session list. A new order is shown only together with the rows that will be
 * visible in it, so the list never flashes.
 */
export function useSessionView() {
  const { queries, client } = useDatabase()
  const cache = useQueryClient()
  const { sort, dir, q, chips } = useSessionsSearch()
  const firstVisible = useRef(0)
  const input = { sort, direction: dir, text: q, chips }
  const view = useQuery({
    ...queries.sessions.view.queryOptions({ input }),
    queryFn: async ({ signal }) => {
      const fresh = await client.sessions.view(input, { signal })
      const from = Math.floor(firstVisible.current / PAGE_ROWS) * PAGE_ROWS
      if (from < fresh.total) {
        const page = { viewId: fresh.viewId, offset: from, limit: PAGE_ROWS }
        await cache.prefetchQuery(queries.sessions.rows.queryOptions({ input: page }))
      }
      return fresh
    },
    meta: READ_ONCE,
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  })
  const setFirstVisible = useCallback((position: number) => {
    firstVisible.current = position
  }, [])
  return { view, setFirstVisible, listKey: JSON.stringify(input) }
}
