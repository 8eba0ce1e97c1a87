import { connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import type { Deadline } from './deadline.ts'
import { openSshStream } from './ssh-stream.ts'
import type { Target } from './target.ts'
import { makeTrouble, toTrouble } from './trouble.ts'

const KEEPALIVE_AFTER_MS = 10_000

/** A socket, and the first thing that went wrong with it. */
export interface Way {
  readonly socket: Duplex
  failure(): Error | null
}

/** Opens the way to the server: TCP, a Unix socket, or ssh. Rejects with StoreTrouble; then nothing is left open. */
export async function openWay(target: Target, deadline: Deadline): Promise<Way> {
  const socket = await openSocket(target, deadline)
  let failure: Error | null = null
  // Whoever else listens, or nobody in between, an error must not end the process.
  socket.on('error', (error) => (failure ??= error))
  return { socket, failure: () => failure }
}

async function openSocket(target: Target, deadline: Deadline): Promise<Duplex> {
  const { settings } = target
  const { sshHost } = settings
  if (sshHost !== null)
    return openSshStream({ ...settings, sshHost }, target.machine, deadline.leftMs(), target.maker)
  const socket = settings.host.startsWith('/')
    ? connect({ path: `${settings.host}/.s.PGSQL.${settings.port}` })
    : connect({
        host: settings.hostAddress ?? settings.host,
        port: settings.port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEPALIVE_AFTER_MS,
        ...(target.lookup === undefined ? {} : { lookup: target.lookup }),
      })
  await untilConnected(socket, target, deadline)
  return socket
}

function untilConnected(socket: Socket, target: Target, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeBack = deadline.onExpiry(() =>
      socket.destroy(makeTrouble(target.maker, 'timeout', 'ETIMEDOUT')),
    )
    const fail = (error: unknown): void => {
      takeBack()
      reject(toTrouble(target.maker, error, 'unreachable'))
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      takeBack()
      socket.off('error', fail)
      resolve()
    })
  })
}
