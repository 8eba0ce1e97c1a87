import { useSyncExternalStore } from 'react'

import { useDatabase } from './database-context.ts'
import type { LiveFeed, LiveState } from './live-feed.ts'

/** The live state of the open database, with its switches. */
export function useLive(): LiveState & { readonly feed: LiveFeed } {
  const { live } = useDatabase()
  const state = useSyncExternalStore(live.subscribe, live.getState)
  return { ...state, feed: live }
}

/** Nothing can be asked or done now: the server is away, or the program itself. */
export function isAway({ report, connection }: LiveState): boolean {
  return connection === 'lost' || (report !== null && report.state.status !== 'connected')
}

/** One value of the live state; renders again only when that value changes. */
export function useLiveValue<T extends string | number | boolean | object | null>(
  select: (state: LiveState) => T,
): T {
  const { live } = useDatabase()
  return useSyncExternalStore(live.subscribe, () => select(live.getState()))
}
