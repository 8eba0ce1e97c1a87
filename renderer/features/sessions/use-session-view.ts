import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { useSessionsSearch } from '../../routes/use-search.ts'
import { readSessionView, sessionViewOptions } from './session-view.ts'

/** Asked so shortly before the list was mounted, an order is the list's own. */
const JUST_NOW_MS = 1_000

/** The frozen order of the session list as the address asks for it. */
export function useSessionView() {
  const database = useDatabase()
  const cache = useQueryClient()
  const search = useSessionsSearch()
  const firstVisible = useRef(0)
  const view = useQuery({
    ...sessionViewOptions(database, search),
    queryFn: ({ signal }) =>
      readSessionView(database, search, {
        cache,
        signal,
        firstVisible: () => firstVisible.current,
      }),
    placeholderData: keepPreviousData,
    refetchOnMount: ({ state }) =>
      Date.now() - state.dataUpdatedAt > JUST_NOW_MS ? 'always' : false,
  })
  const setFirstVisible = useCallback((position: number) => {
    firstVisible.current = position
  }, [])
  const { sort, dir, q, chips } = search
  return { view, setFirstVisible, listKey: JSON.stringify({ sort, dir, q, chips }) }
}
