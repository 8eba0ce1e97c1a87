import { RPCLink } from '@orpc/client/message-port'
import { RPCHandler } from '@orpc/server/message-port'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'

import { asClones } from '../../src/contract/as-clones.ts'
import { describeTransport } from './describe-transport.ts'
import { makeEcho, toEchoClient } from './echo-contract.ts'

const CLONES = { experimental_transfer: asClones }

function connect(router: ReturnType<typeof makeEcho>['router'], { here = {}, there = {} } = {}) {
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(router, there).upgrade(port1, { context: {} })
  const client = toEchoClient(new RPCLink({ port: port2, ...here }))
  port1.start()
  port2.start()
  return { client, port: port2, close: () => port2.close() }
}

describeTransport('a message port, as the screens use it', {
  async connect(router) {
    const { client, close } = connect(router, { here: CLONES, there: CLONES })
    return { client, vanish: close, close: async () => close() }
  },
})

describeTransport('a message port on which one side speaks in texts', {
  async connect(router) {
    const { client, close } = connect(router, { there: CLONES })
    return { client, vanish: close, close: async () => close() }
  },
})

test('calls, answers, errors and what a stream tells pass as they are, not as texts', async () => {
  const { client, port, close } = connect(makeEcho().router, { here: CLONES, there: CLONES })
  const heard: unknown[] = []
  port.on('message', (message) => heard.push(message))
  await client.echo({ at: new Date(0) })
  await client.fail({ with: 'data' }).catch(() => undefined)
  expect(heard.map((message) => typeof message)).toStrictEqual(['object', 'object'])
  for await (const number of await client.count({ upTo: 2 })) if (number === 2) break
  // The stream's beginning has no content.
  expect(heard.slice(2, 5).map((message) => typeof message)).toStrictEqual([
    'string',
    'object',
    'object',
  ])
  close()
})
