import type { AnyRouter, InferRouterInitialContext } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'

import { asClones } from '../src/contract/as-clones.ts'
import { logDefects } from '../src/shell/log-defects.ts'

/** Answers what a page calls through a port. */
export function makePortHandler<Router extends AnyRouter>(
  router: Router,
): RPCHandler<InferRouterInitialContext<Router>> {
  return new RPCHandler<InferRouterInitialContext<Router>>(router, {
    interceptors: [logDefects],
    experimental_transfer: asClones,
  })
}
