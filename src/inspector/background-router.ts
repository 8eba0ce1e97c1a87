import { implement } from '@orpc/server'

import { backgroundContract } from '../contract/background-contract.ts'
import type { SearchMessage } from '../model/search.ts'
import { toApiError, withApiErrors } from './router.ts'

/** Each procedure of the background contract, answered by one service. */
export function makeBackgroundRouter() {
  const os = implement(backgroundContract).use(async ({ next }) => {
    try {
      return await next()
    } catch (error) {
      throw toApiError(error)
    }
  })
  return os.router({
    search: os.search.handler(() => withApiErrors(foundNothing())),
  })
}

async function* foundNothing(): AsyncGenerator<SearchMessage, undefined> {
  yield { kind: 'done' }
}
