import { useEffect, useState, useSyncExternalStore } from 'react'

import type { BackgroundClient } from '../../../src/contract/index.ts'
import type { SearchHit, SearchRequest } from '../../../src/model/search.ts'
import { useDatabase } from '../../api/database-context.ts'
import { keyOf, SearchRun } from './search-run.ts'

/** The last search of each database, for the way back from an event to the list. */
const kept = new Map<string, SearchRun>()

/** What was found before stays so long while nothing else is: most searches answer at once. */
const STALE_MS = 400
const NONE: readonly SearchHit[] = []

function findRun(databaseId: string, client: BackgroundClient, request: SearchRequest): SearchRun {
  const known = kept.get(databaseId)
  if (known?.key === keyOf(request)) return known
  const run = new SearchRun(client, request)
  kept.set(databaseId, run)
  return run
}

/** The search the address asks for, running as long as its screen is there; `again` begins it anew. */
export function useSearchRun(request: SearchRequest) {
  const { databaseId, background } = useDatabase()
  const [round, setRound] = useState(0)
  const [run, setRun] = useState(() => findRun(databaseId, background, request))
  const [before, setBefore] = useState(NONE)
  const change = (): void => {
    setBefore(run.getState().hits)
    setRun(findRun(databaseId, background, request))
  }
  if (run.key !== keyOf(request)) change()
  useEffect(() => {
    run.resume(background)
    const timer = setTimeout(() => setBefore(NONE), STALE_MS)
    return () => {
      clearTimeout(timer)
      run.pause()
    }
  }, [run, background])
  const state = useSyncExternalStore(run.subscribe, run.getState)
  const isUnanswered = state.status === 'running' || state.status === 'paused'
  const isStale = isUnanswered && state.hits.length === 0 && before.length > 0
  return {
    ...state,
    /** What is on screen: of the search before while `isStale`. */
    shown: isStale ? before : state.hits,
    isStale,
    /** Another one for each search, also for the same text. */
    viewId: `${round} ${run.key}`,
    stop: () => run.stop(),
    goOn: () => run.goOn(),
    again: () => {
      kept.delete(databaseId)
      setRound(round + 1)
      change()
    },
  }
}

export type ShownSearch = ReturnType<typeof useSearchRun>
