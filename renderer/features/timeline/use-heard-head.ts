import { useCallback, useSyncExternalStore } from 'react'

import { useDatabase } from '../../api/database-context.ts'

/** The highest index heard of a session, even while the screen stands still; 0 when nothing was heard. */
export function useHeardHead(sessionId: string): number {
  const { live } = useDatabase()
  const subscribe = useCallback(
    (listener: () => void) => {
      const stopHearing = live.sessions.subscribe(sessionId, listener)
      const stopWatching = live.subscribe(listener)
      return () => {
        stopHearing()
        stopWatching()
      }
    },
    [live, sessionId],
  )
  return useSyncExternalStore(subscribe, () => live.sessions.heardHead(sessionId))
}
