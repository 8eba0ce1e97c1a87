import { useQuery } from '@tanstack/react-query'

import type { Footprint } from '../../src/model/footprint.ts'
import { useDatabase } from './database-context.ts'
import { useLiveValue } from './use-live.ts'

const EVERY_MS = 1_000

/**
 * What this program takes of the database, asked each second while the window is seen; null when it is not
 * known now. Apart from what is read of the database: it is no reading.
 */
export function useFootprint(): Footprint | null {
  const { client, databaseId } = useDatabase()
  const isLive = useLiveValue(({ connection }) => connection === 'live')
  const { data, isError } = useQuery({
    queryKey: ['footprint', databaseId],
    queryFn: () => client.footprint(),
    enabled: isLive,
    refetchInterval: EVERY_MS,
    retry: false,
  })
  return isLive && !isError ? (data ?? null) : null
}
