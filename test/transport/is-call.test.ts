import { RPCLink } from '@orpc/client/message-port'
import { RPCHandler } from '@orpc/server/message-port'
import { MessageChannel } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'

import { asClones } from '../../src/contract/as-clones.ts'
import { isCall } from '../../src/shell/is-call.ts'
import { makeEcho, toEchoClient } from './echo-contract.ts'

const GARBAGE: readonly unknown[] = [
  undefined,
  null,
  7,
  '',
  'garbage',
  '7',
  'null',
  '[]',
  '{}',
  {},
  [],
  new Uint8Array([1, 2]),
  { i: 7, p: { u: '/echo' } },
  { i: '1' },
  { i: '1', p: null },
  { i: '1', p: {} },
  { i: '1', p: { u: 7 } },
  { i: '1', p: { u: 'no address' } },
  { i: '1', p: { u: '/echo', m: {} } },
  { i: '1', p: { u: '/echo', h: 'x' } },
  { i: '1', p: { u: '/echo', h: { a: { b: 1 } } } },
  { i: '1', t: 2, p: { u: '/echo' } },
  { i: '1', t: 'x', p: { u: '/echo' } },
  { i: '1', t: 3 },
  '{"i":"1","p":{"u":"/echo","h":{"content-type":"multipart/form-data; boundary=x"}}}',
  '{"i":"1","p":{"u":"/echo","h":{"Content-Disposition":"attachment"}}}',
]

/** The far end as a page's port is served: nothing but calls gets through. */
function serve() {
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(makeEcho().router, { experimental_transfer: asClones }).upgrade(
    {
      on(event: string, listener: (event?: { data: unknown }) => void) {
        port1.on(event, (data: unknown) => {
          if (event === 'close') listener()
          else if (isCall(data)) listener({ data })
        })
      },
      postMessage: (message: unknown) => port1.postMessage(message),
    },
    { context: {} },
  )
  port1.start()
  return port2
}

test('what is no call is dropped, and the calls after it are answered', async () => {
  const port = serve()
  const client = toEchoClient(new RPCLink({ port, experimental_transfer: asClones }))
  port.start()
  for (const data of GARBAGE) {
    expect(isCall(data), JSON.stringify(data)).toBe(false)
    port.postMessage(data)
  }
  expect(await client.echo({ at: new Date(7) })).toStrictEqual({ at: new Date(7) })
  port.close()
})

test('every message that the library sends by itself is a call', async () => {
  for (const options of [{}, { experimental_transfer: asClones }]) {
    const { port1, port2 } = new MessageChannel()
    const sent: unknown[] = []
    port1.on('message', (data) => sent.push(data))
    new RPCHandler(makeEcho().router, options).upgrade(port1, { context: {} })
    const client = toEchoClient(new RPCLink({ port: port2, ...options }))
    port2.start()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await client.echo({ text: '😀', big: 2n ** 70n, none: undefined })
    // oxlint-disable-next-line no-await-in-loop
    for await (const number of await client.count({ upTo: 9 })) if (number === 2) break
    // Two calls, and the end of the stream.
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(sent).toHaveLength(3))
    expect(sent.map((message) => isCall(message))).toStrictEqual(sent.map(() => true))
    port2.close()
  }
})
