import { connect, createServer, type Socket } from 'node:net'

import type { OnOptions, Pooler } from './pgbouncer.ts'

const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102

/**
 * A stand-in for a pooler where none is installed: it treats startup options as one does, and gives
 * its own cancel keys. Behind it every client has a session of its own.
 */
export async function startFakePooler(server: number, onOptions: OnOptions): Promise<Pooler> {
  const keys = new Map<string, Buffer>()
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    sockets.add(client.on('error', () => {}))
    const begin = (packet: Buffer): void => {
      const code = packet.readInt32BE(4)
      if (code === SSL_REQUEST) {
        client.write('N')
        client.once('data', begin)
      } else if (code === CANCEL_REQUEST) {
        const key = keys.get(packet.subarray(8, 16).toString('hex'))
        if (key !== undefined) packet.set(key, 8)
        passOn(client, packet, server, () => {})
      } else {
        const parameters = readParameters(packet)
        if (parameters.delete('options') && onOptions === 'refuses') {
          client.end(refusal('unsupported startup parameter: options'))
          return
        }
        passOn(client, startup(parameters), server, (real) => {
          const own = Buffer.from(real.map((byte) => byte ^ 0x5a))
          keys.set(own.toString('hex'), Buffer.from(real))
          return own
        })
      }
    }
    client.once('data', begin)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

/** Passes everything both ways, and replaces the cancel key on its way to the client. */
function passOn(
  client: Socket,
  first: Buffer,
  server: number,
  toOwnKey: (real: Buffer) => Buffer | void,
): void {
  const upstream = connect(server, '127.0.0.1', () => upstream.write(first))
  upstream.on('error', () => client.destroy()).on('close', () => client.end())
  client.on('close', () => upstream.destroy()).pipe(upstream)
  let kept = Buffer.alloc(0)
  let hasKey = false
  upstream.on('data', (chunk: Buffer) => {
    if (hasKey) return client.write(chunk)
    kept = Buffer.concat([kept, chunk])
    let at = 0
    while (at + 5 <= kept.length && at + 1 + kept.readInt32BE(at + 1) <= kept.length) {
      if (kept[at] === 'K'.charCodeAt(0)) {
        const own = toOwnKey(kept.subarray(at + 5, at + 13))
        if (own !== undefined) kept.set(own, at + 5)
        hasKey = true
      }
      at += 1 + kept.readInt32BE(at + 1)
    }
    client.write(kept.subarray(0, hasKey ? kept.length : at))
    kept = kept.subarray(at)
    return undefined
  })
}

function readParameters(packet: Buffer): Map<string, string> {
  const texts = packet.subarray(8, -2).toString('utf8').split('\0')
  const pairs = texts.flatMap((text, at) =>
    at % 2 === 0 ? [[text, texts[at + 1] ?? ''] as [string, string]] : [],
  )
  return new Map(pairs)
}

function startup(parameters: ReadonlyMap<string, string>): Buffer {
  const body = Buffer.from(
    [...parameters]
      .flat()
      .map((text) => `${text}\0`)
      .join('') + '\0',
  )
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}

function refusal(message: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
