import type { AnyRouter, InferRouterInitialContext } from '@orpc/server'
import { MessagePortHandler } from '@orpc/server/message-port'
import { StandardHandler, StandardRPCCodec, StandardRPCMatcher } from '@orpc/server/standard'

import { asClones, cloneSerializer } from '../src/contract/as-clones.ts'
import { logDefects } from '../src/shell/log-defects.ts'

/** Answers what a page calls through a port. */
export type PortHandler<Router extends AnyRouter> = MessagePortHandler<
  InferRouterInitialContext<Router>
>

export function makePortHandler<Router extends AnyRouter>(router: Router): PortHandler<Router> {
  const handler = new StandardHandler<InferRouterInitialContext<Router>>(
    router,
    new StandardRPCMatcher(),
    new StandardRPCCodec(cloneSerializer),
    { interceptors: [logDefects] },
  )
  return new MessagePortHandler(handler, { experimental_transfer: asClones })
}
