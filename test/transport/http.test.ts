import { RPCLink } from '@orpc/client/fetch'
import { RPCHandler } from '@orpc/server/node'
import assert from 'node:assert/strict'
import { createServer } from 'node:http'

import { describeTransport } from './describe-transport.ts'
import { toEchoClient } from './echo-contract.ts'

describeTransport('HTTP', {
  async connect(router) {
    const handler = new RPCHandler(router)
    const server = createServer((request, response) => {
      void handler.handle(request, response, { prefix: '/rpc/db/x', context: {} })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert(typeof address === 'object' && address !== null)
    const gone = new AbortController()
    const link = new RPCLink({
      url: `http://127.0.0.1:${address.port}/rpc/db/x`,
      fetch: (request, init) => fetch(request, { ...init, signal: anyOf(gone, request.signal) }),
    })
    return {
      client: toEchoClient(link),
      vanish: () => gone.abort(),
      async close() {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
})

function anyOf(gone: AbortController, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([gone.signal, signal])
}
