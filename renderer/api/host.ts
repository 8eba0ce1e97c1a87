import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { useQuery } from '@tanstack/react-query'

import { connectHost } from './connect.ts'

/** The program around the screens; one for the whole window. */
export const host = connectHost()
export const hostQueries = createTanstackQueryUtils(host, { path: ['host'] })

/** What the host is and can do; undefined until it answered. */
export function useHostInfo() {
  return useQuery(hostQueries.info.queryOptions()).data
}
