import { RPCLink } from '@orpc/client/message-port'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'

import { makePortHandler } from '../../electron/port-handler.ts'
import { makePortLink } from '../../src/contract/port-link.ts'
import { describeTransport } from './describe-transport.ts'
import { makeEcho, toEchoClient } from './echo-contract.ts'

type Router = ReturnType<typeof makeEcho>['router']

function connect(router: Router, toLink = makePortLink) {
  const { port1, port2 } = new MessageChannel()
  makePortHandler(router).upgrade(port1, { context: {} })
  const client = toEchoClient(toLink(port2))
  port1.start()
  port2.start()
  return { client, port: port2, close: () => port2.close() }
}

describeTransport('a message port, as the screens use it', {
  async connect(router) {
    const { client, close } = connect(router)
    return { client, vanish: close, close: async () => close() }
  },
})

describeTransport('a message port through which is asked in texts', {
  async connect(router) {
    const { client, close } = connect(router, (port) => new RPCLink({ port }))
    return { client, vanish: close, close: async () => close() }
  },
})

test('calls, answers, errors and what a stream tells pass as they are, not as texts', async () => {
  const { client, port, close } = connect(makeEcho().router)
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

test('what a clone holds and a text does not arrives too', async () => {
  const { client, close } = connect(makeEcho().router)
  const value = {
    nothing: undefined,
    minusZero: -0,
    notANumber: Number.NaN,
    bytes: new Uint8Array([0, 255]),
    map: new Map([['\ud83d', new Set([1n])]]),
  }
  expect(await client.echo(value)).toStrictEqual(value)
  close()
})

test('what cannot be sent is told to who asked, and the next call is answered', async () => {
  const { client, close } = connect(makeEcho().router)
  await expect(client.echo(() => undefined)).rejects.toThrow(/could not be cloned/)
  expect(await client.echo('next')).toBe('next')
  close()
})
