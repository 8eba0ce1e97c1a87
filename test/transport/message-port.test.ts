import { RPCLink } from '@orpc/client/message-port'
import { RPCHandler } from '@orpc/server/message-port'
import { MessageChannel } from 'node:worker_threads'

import { describeTransport } from './describe-transport.ts'
import { toEchoClient } from './echo-contract.ts'

describeTransport('a message port', {
  async connect(router) {
    const { port1, port2 } = new MessageChannel()
    new RPCHandler(router).upgrade(port1, { context: {} })
    const client = toEchoClient(new RPCLink({ port: port2 }))
    port1.start()
    port2.start()
    return {
      client,
      vanish: () => port2.close(),
      close: async () => port2.close(),
    }
  },
})
