import type { Duplex } from 'node:stream'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'

import type { NegotiatedTls } from '../../../model/connection.ts'
import type { Deadline } from './deadline.ts'
import type { Way } from './socket.ts'
import type { Target } from './target.ts'
import { planTls, type TlsPlan } from './tls-options.ts'
import { makeTrouble, toTrouble } from './trouble.ts'

/** A way to the server on which its protocol begins, and how safe it is. */
export interface Transport {
  readonly stream: Duplex
  readonly tls: NegotiatedTls
}

/** Its length, then the number that stands where a version would. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Encrypts the socket as far as the settings ask for it. Rejects with StoreTrouble; the socket is then destroyed. */
export async function negotiateTls(
  way: Way,
  target: Target,
  plan: TlsPlan | null,
  deadline: Deadline,
): Promise<Transport> {
  const { settings, maker } = target
  const { socket } = way
  if (settings.host.startsWith('/')) return { stream: socket, tls: plain('unix-socket') }
  if (plan === null) return { stream: socket, tls: plain('disabled') }
  let current: Duplex = socket
  const takeBack = deadline.onExpiry(() =>
    current.destroy(makeTrouble(maker, 'timeout', 'ETIMEDOUT')),
  )
  try {
    const answer = await askForTls(socket)
    if (answer === 'N' && settings.tls.mode === 'prefer')
      return { stream: socket, tls: plain('refused') }
    if (answer === 'N') throw makeTrouble(maker, 'tls-not-offered')
    // More than the one byte was sent in clear by somebody else.
    if (answer !== 'S') throw makeTrouble(maker, 'tls-failed', 'unexpected-answer')
    const secure = connect({ ...plan.options, socket })
    current = secure
    await untilSecure(secure)
    return { stream: secure, tls: describe(secure, plan) }
  } catch (error) {
    current.destroy()
    socket.destroy()
    // What ended the socket says more than what TLS made of its end.
    throw toTrouble(maker, way.failure() ?? error, 'tls-failed')
  } finally {
    takeBack()
  }
}

/** Reads the settings' files before anything is connected; null: no TLS is wanted. */
export async function planTlsFor(target: Target): Promise<TlsPlan | null> {
  const { host, tls } = target.settings
  return tls.mode === 'disable' || host.startsWith('/') ? null : planTls(target)
}

function plain(why: 'unix-socket' | 'disabled' | 'refused'): NegotiatedTls {
  return { kind: 'plain', why }
}

function askForTls(socket: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    const forget = (): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose)
    }
    const onData = (chunk: Buffer): void => {
      forget()
      socket.pause()
      resolve(chunk.toString('latin1'))
    }
    const onError = (error: unknown): void => {
      forget()
      reject(error)
    }
    const onClose = (): void => onError(closedEarly())
    socket.on('data', onData).on('error', onError).on('close', onClose)
    socket.write(SSL_REQUEST)
  })
}

function untilSecure(secure: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    secure.once('secureConnect', resolve)
    secure.on('error', reject)
    secure.once('close', () => reject(closedEarly()))
  })
}

function closedEarly(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
}

function describe(secure: TLSSocket, plan: TlsPlan): NegotiatedTls {
  const certificate = secure.getPeerCertificate()
  const cipher = secure.getCipher()
  return {
    kind: 'tls',
    protocol: secure.getProtocol() ?? 'unknown',
    cipher: cipher.standardName ?? cipher.name,
    verified: plan.verified,
    peerSubject: printName(certificate.subject),
    peerIssuer: printName(certificate.issuer),
    expiresAt: Date.parse(certificate.valid_to),
    hasClientCertificate: plan.hasClientCertificate,
  }
}

/** `CN=db.example, O=Example`; a name may be repeated. */
function printName(name: PeerCertificate['subject'] | undefined): string {
  const pairs: [string, string | string[] | undefined][] = Object.entries(name ?? {})
  return pairs
    .toReversed()
    .map(([key, value]) => `${key}=${[value].flat().join('+')}`)
    .join(', ')
}
