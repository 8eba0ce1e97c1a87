import { useCallback, useSyncExternalStore } from 'react'

import { useDatabase } from './database-context.ts'
import type { LiveFeed, LiveState } from './live-feed.ts'
import type { SessionFeed } from './session-feeds.ts'

/** The live state of the open database, with its switches. */
export function useLive(): LiveState & { readonly feed: LiveFeed } {
  const { live } = useDatabase()
  const state = useSyncExternalStore(live.subscribe, live.getState)
  return { ...state, feed: live }
}

/** One value of the live state; renders again only when that value changes. */
export function useLiveValue<T extends string | number | boolean | object | null>(
  select: (state: LiveState) => T,
): T {
  const { live } = useDatabase()
  return useSyncExternalStore(live.subscribe, () => select(live.getState()))
}

/** What was heard of one session since this hook was mounted; moves with the screen, stands still with it. */
export function useLiveEvents(sessionId: string): SessionFeed {
  const { live } = useDatabase()
  const subscribe = useCallback(
    (listener: () => void) => live.sessions.subscribe(sessionId, listener),
    [live, sessionId],
  )
  return useSyncExternalStore(subscribe, () => live.sessions.get(sessionId))
}
