import { useQuery } from '@tanstack/react-query'

import type { SessionCounts } from '../../../src/model/session.ts'
import { useDatabase } from '../../api/database-context.ts'

/** The counts beside the list follow every change, also while its order stays. Not asked before the list is there. */
export function useSessionCounts(text: string, isWanted: boolean): SessionCounts | undefined {
  const { queries } = useDatabase()
  return useQuery({
    ...queries.sessions.counts.queryOptions({ input: { text } }),
    enabled: isWanted,
  }).data
}
