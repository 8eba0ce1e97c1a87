import { AsyncIteratorClass, implement } from '@orpc/server'

import { backgroundContract } from '../contract/background-contract.ts'
import { toApiError, withApiErrors } from './router.ts'
import type { Search } from './search.ts'

export interface BackgroundServices {
  readonly search: Search
}

/** Each procedure of the background contract, answered by one service. */
export function makeBackgroundRouter({ search }: BackgroundServices) {
  const os = implement(backgroundContract).use(async ({ next }) => {
    try {
      return await next()
    } catch (error) {
      throw toApiError(error)
    }
  })
  return os.router({
    search: os.search.handler(({ input, signal }) =>
      stoppable((stopped) => search.run(input, stopped), signal),
    ),
  })
}

/** Whoever stops listening is heard at once: a generator alone would hear of it with its next message. */
function stoppable<T>(
  start: (stopped: AbortSignal) => AsyncGenerator<T, undefined>,
  signal: AbortSignal | undefined,
): AsyncIteratorObject<T, undefined> {
  const stop = new AbortController()
  const steps = withApiErrors(
    start(signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])),
  )
  return new AsyncIteratorClass<T, undefined>(
    async () => await steps.next(),
    async () => stop.abort(),
  )
}
