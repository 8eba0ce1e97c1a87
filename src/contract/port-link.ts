import type { ClientContext, ClientLink } from '@orpc/client'
import { LinkMessagePortClient } from '@orpc/client/message-port'
import type { SupportedMessagePort } from '@orpc/client/message-port'
import { StandardLink, StandardRPCLinkCodec } from '@orpc/client/standard'

import { asClones, cloneSerializer } from './as-clones.ts'

/** Calls whoever answers at the other end of a port. The port is to be started by who has it. */
export function makePortLink(port: SupportedMessagePort): ClientLink<ClientContext> {
  return new StandardLink(
    // Only the path of an address counts here.
    new StandardRPCLinkCodec(cloneSerializer, { url: 'http://orpc' }),
    new LinkMessagePortClient({ port, experimental_transfer: asClones }),
  )
}
