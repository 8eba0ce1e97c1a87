import type { QueryClient } from '@tanstack/react-query'

import type { SessionView } from '../../../src/model/session.ts'
import type { OpenDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { PAGE_ROWS } from '../../lib/page-rows.ts'
import type { SessionsSearch } from '../../routes/search.ts'

function toInput({ sort, dir, q, chips }: SessionsSearch) {
  return { sort, direction: dir, text: q, chips }
}

/** How an order of the session list is asked for, but for its `queryFn`. */
export function sessionViewOptions({ queries }: OpenDatabase, search: SessionsSearch) {
  const { queryKey } = queries.sessions.view.queryOptions({ input: toInput(search) })
  return { queryKey, meta: READ_ONCE }
}

interface ReadOptions {
  readonly cache: QueryClient
  readonly signal: AbortSignal
  /** Answers the first position on screen. */
  readonly firstVisible: () => number
}

/** Freezes an order and reads the rows that will be visible in it, so that a new order never flashes. */
export async function readSessionView(
  { queries, client }: OpenDatabase,
  search: SessionsSearch,
  { cache, signal, firstVisible }: ReadOptions,
): Promise<SessionView> {
  const page = () => ({
    offset: Math.floor(firstVisible() / PAGE_ROWS) * PAGE_ROWS,
    limit: PAGE_ROWS,
  })
  const asked = page()
  const input = { ...toInput(search), rows: asked }
  const { rows, ...fresh } = await client.sessions.view(input, { signal })
  const { viewId } = fresh
  cache.setQueryData(queries.sessions.rows.queryKey({ input: { viewId, ...asked } }), rows)
  // Scrolled meanwhile.
  const now = { viewId, ...page() }
  if (now.offset !== asked.offset && now.offset < fresh.total) {
    await cache.prefetchQuery(queries.sessions.rows.queryOptions({ input: now }))
  }
  return fresh
}
