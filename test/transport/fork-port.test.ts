import { RPCLink } from '@orpc/client/message-port'
import { RPCHandler } from '@orpc/server/message-port'
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { expect, test } from 'vitest'

import { openForkPort } from '../../src/host/fork-ports.ts'
import type { ForkChannel } from '../../src/host/fork-ports.ts'
import { describeTransport } from './describe-transport.ts'
import { toEchoClient } from './echo-contract.ts'

/** The channel between a process and its child, without the child. */
function toChannel(port: MessagePort): ForkChannel {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onClose: (listener) => void port.on('close', listener),
  }
}

describeTransport('one stream of the channel to a child', {
  async connect(router) {
    const { port1, port2 } = new MessageChannel()
    new RPCHandler(router).upgrade(openForkPort(toChannel(port1), 'calls'), { context: {} })
    const client = toEchoClient(new RPCLink({ port: openForkPort(toChannel(port2), 'calls') }))
    return { client, vanish: () => port2.close(), close: async () => port2.close() }
  },
})

test('a stream hears nothing of the other, nor of what is about the child', async () => {
  const { port1, port2 } = new MessageChannel()
  const [here, there] = [toChannel(port1), toChannel(port2)]
  const heard: unknown[] = []
  const isThrough = new Promise<void>((resolve) => {
    openForkPort(there, 'scans').on('message', (event) => {
      heard.push(event?.data)
      if (event?.data === 'last') resolve()
    })
  })
  here.send({ kind: 'ping' })
  here.send(null)
  openForkPort(here, 'calls').postMessage('a call')
  openForkPort(here, 'scans').postMessage({ ids: ['\ud83d'], rows: new Float64Array([Number.NaN]) })
  openForkPort(here, 'scans').postMessage('last')
  await isThrough
  expect(heard).toStrictEqual([{ ids: ['\ud83d'], rows: new Float64Array([Number.NaN]) }, 'last'])
  port1.close()
})
