import { openEarly } from '../api/database-context.ts'
import { hostQueries } from '../api/host.ts'
import { queryClient } from '../api/query-client.ts'
import { readSessionView, sessionViewOptions } from '../features/sessions/session-view.ts'
import { parseSearch, readSessionsSearch } from './search.ts'

/** A list that comes sooner is there when the screens are drawn first; nobody waits longer for them. */
const PATIENCE_MS = 100

/**
 * A page that begins at a file's list of sessions asks for it while its screens are still being loaded. A server
 * is asked only once the person has given what it takes to connect.
 */
async function ask({ pathname, search }: Location): Promise<void> {
  const [, databaseId, screen = 'sessions'] = /^\/d\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? []
  if (databaseId === undefined) return
  const { kind } = await queryClient.fetchQuery(
    hostQueries.resolve.queryOptions({ input: { databaseId } }),
  )
  if (kind !== 'file' || screen !== 'sessions') return
  const asked = readSessionsSearch(parseSearch(search))
  const database = openEarly(databaseId)
  await queryClient.prefetchQuery({
    ...sessionViewOptions(database, asked),
    queryFn: ({ signal }) =>
      readSessionView(database, asked, { cache: queryClient, signal, firstVisible: () => 0 }),
  })
}

/** Fulfilled once there is something to draw, or when that takes long. */
export const firstAnswer: Promise<unknown> = Promise.race([
  // The screens ask again, and say what is wrong.
  ask(location).catch(() => undefined),
  new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
])
