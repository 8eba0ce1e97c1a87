import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

import { readSessionsSearch } from './search.ts'
import type { DeadSearch, FindSearch, SessionsSearch } from './search.ts'

interface Move {
  /** Replace the current history entry: for typing and for arrow keys. */
  readonly replace?: boolean
}

/** The address of the sessions screen, repaired; defaults everywhere else. */
export function useSessionsSearch(): SessionsSearch {
  const search = useSearch({ strict: false })
  return useMemo(() => readSessionsSearch(search), [search])
}

/** Changes some fields of the sessions screen's address and keeps the others. */
export function useSetSessionsSearch() {
  const navigate = useNavigate()
  return useCallback(
    (change: Partial<SessionsSearch>, { replace = false }: Move = {}) =>
      void navigate({
        from: '/d/$databaseId/sessions',
        to: '/d/$databaseId/sessions',
        search: (before) => ({ ...before, ...change }),
        replace,
      }),
    [navigate],
  )
}

/** Changes some fields of the dead letters screen's address and keeps the others. */
export function useSetDeadSearch() {
  const navigate = useNavigate()
  return useCallback(
    (change: Partial<DeadSearch>, { replace = false }: Move = {}) =>
      void navigate({
        from: '/d/$databaseId/dead',
        to: '/d/$databaseId/dead',
        search: (before) => ({ ...before, ...change }),
        replace,
      }),
    [navigate],
  )
}

/** Changes some fields of the search screen's address and keeps the others. */
export function useSetFindSearch() {
  const navigate = useNavigate()
  return useCallback(
    (change: Partial<FindSearch>, { replace = false }: Move = {}) =>
      void navigate({
        from: '/d/$databaseId/search',
        to: '/d/$databaseId/search',
        search: (before) => ({ ...before, ...change }),
        replace,
      }),
    [navigate],
  )
}

/** Opens a session, at an event if one is named, from any screen of the database; list filters stay when already there. */
export function useOpenSession(databaseId: string) {
  const router = useRouter()
  return useCallback(
    (sessionId: string, event?: number) => {
      const isThere = router.state.matches.some(
        ({ routeId }) => routeId === '/d/$databaseId/sessions',
      )
      void router.navigate({
        to: '/d/$databaseId/sessions',
        params: { databaseId },
        search: (before) => ({
          // What other screens call `q` is no filter of the session list.
          ...readSessionsSearch(isThere ? before : {}),
          s: sessionId,
          event,
          tab: 'timeline',
        }),
      })
    },
    [router, databaseId],
  )
}
