import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is turned away; undefined: it may pass. */
export type Refusal = 'wrong-host' | 'wrong-origin' | 'wrong-method' | 'too-large' | 'no-token'

/** Calls are small: the longest input is a path or an id. */
const MAX_BODY_BYTES = 1_048_576

export interface Guard {
  readonly port: number
  /** 256 random bits, base64url. */
  readonly token: string
}

/** Cookies are shared by all ports of a host, so the name says which of us it belongs to. */
function cookieName(port: number): string {
  return `a2-${port}`
}

/** HttpOnly: no script reads it. Strict: no other site's page makes the browser send it. */
export function toSetCookie({ port, token }: Guard): string {
  return `${cookieName(port)}=${token}; Path=/; HttpOnly; SameSite=Strict`
}

/**
 * Judges one request. A name that was made to point at 127.0.0.1 fails by its Host header, another site's
 * page by its Origin, another program of this machine by the missing token. The path is the one that will be
 * answered: what was sent may have dots in it.
 */
export function judge(
  request: IncomingMessage,
  pathname: string,
  guard: Guard,
): Refusal | undefined {
  const refusal = judgeOrigin(request, pathname, guard.port)
  if (refusal !== undefined) return refusal
  const sent = readCookie(request.headers.cookie, cookieName(guard.port))
  return sent !== undefined && isSame(sent, guard.token) ? undefined : 'no-token'
}

/** As far as it can be judged without a token. */
export function judgeOrigin(
  request: IncomingMessage,
  pathname: string,
  port: number,
): Refusal | undefined {
  const { method = '', headers } = request
  const host = headers.host?.toLowerCase()
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 'wrong-host'
  const isCall = isCallPath(pathname)
  if (isCall ? method !== 'POST' : method !== 'GET' && method !== 'HEAD') return 'wrong-method'
  if (headers.origin === undefined ? isCall : headers.origin !== `http://${host}`) {
    return 'wrong-origin'
  }
  const site = headers['sec-fetch-site']
  if (isCall && site !== undefined && site !== 'same-origin') return 'wrong-origin'
  return isCall && !hasBoundedBody(request) ? 'too-large' : undefined
}

export function isCallPath(pathname: string): boolean {
  return pathname.startsWith('/rpc/')
}

/** Node reads no more than what was announced, so the announcement is enough. */
function hasBoundedBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= MAX_BODY_BYTES
}

/** Compares in constant time. */
export function isSame(sent: string, token: string): boolean {
  const [left, right] = [Buffer.from(sent), Buffer.from(token)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function readCookie(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}
