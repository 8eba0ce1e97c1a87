import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { PAGE_ROWS } from '../../lib/page-rows.ts'

/** The frozen list of dead letters; shown only together with the rows that will be visible. */
export function useDeadView(text: string) {
  const { queries, client } = useDatabase()
  const cache = useQueryClient()
  const firstVisible = useRef(0)
  const view = useQuery({
    ...queries.deadLetters.view.queryOptions({ input: { text } }),
    queryFn: async ({ signal }) => {
      const fresh = await client.deadLetters.view({ text }, { signal })
      const offset = Math.floor(firstVisible.current / PAGE_ROWS) * PAGE_ROWS
      if (offset < fresh.total) {
        const input = { viewId: fresh.viewId, offset, limit: PAGE_ROWS }
        await cache.prefetchQuery(queries.deadLetters.rows.queryOptions({ input }))
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
  return { view, setFirstVisible, listKey: text }
}
