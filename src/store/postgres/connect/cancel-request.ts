import { finished } from 'node:stream/promises'

import { type Deadline, makeDeadline } from './deadline.ts'
import { negotiateTls, planTlsFor } from './negotiate-tls.ts'
import { openWay } from './socket.ts'
import type { Target } from './target.ts'

/** The number that stands where a version would. */
const CANCEL_REQUEST = 80_877_102
const LENGTH = 16

/**
 * Asks the server to stop whatever the connection with this key runs. It answers nothing; a pooler
 * passes it on to the right server. Never rejects: false when it could not be delivered.
 */
export async function sendCancelRequest(
  target: Target,
  key: { readonly processId: number; readonly secretKey: number },
  deadlineMs: number,
): Promise<boolean> {
  const deadline: Deadline = makeDeadline(deadlineMs)
  try {
    const plan = await planTlsFor(target)
    const way = await openWay(target, deadline)
    const { stream } = await negotiateTls(way, target, plan, deadline)
    const takeBack = deadline.onExpiry(() => stream.destroy())
    const request = Buffer.alloc(LENGTH)
    request.writeInt32BE(LENGTH, 0)
    request.writeInt32BE(CANCEL_REQUEST, 4)
    request.writeInt32BE(key.processId, 8)
    request.writeInt32BE(key.secretKey, 12)
    stream.resume()
    stream.write(request)
    // The server closes when it has passed the request on.
    await finished(stream, { writable: false }).catch(() => {})
    takeBack()
    stream.destroy()
    way.socket.destroy()
    return deadline.leftMs() > 0
  } catch {
    return false
  }
}
