import { useQuery } from '@tanstack/react-query'

import { useDatabase } from './database-context.ts'
import { OF_THE_FRAME } from './query-client.ts'

/** The facts about the database, read again at every change; the frame around every screen shows them. */
export function useFacts() {
  const { queries } = useDatabase()
  return useQuery(queries.facts.queryOptions({ meta: OF_THE_FRAME }))
}
