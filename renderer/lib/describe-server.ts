import type { NegotiatedTls } from '../../src/model/connection.ts'

/** `TLSv1.3` as `TLS 1.3`. */
export function printTlsVersion(protocol: string): string {
  return protocol.replace(/^TLSv/, 'TLS ')
}

const CHECKED = {
  none: 'not verified',
  chain: 'verify-ca',
  'chain-and-host': 'verify-full',
} as const

/** `TLS 1.3 verify-full`, `TLS 1.3 not verified`, `not encrypted`: what was agreed, not what was asked for. */
export function printTls(tls: NegotiatedTls): string {
  if (tls.kind === 'tls') return `${printTlsVersion(tls.protocol)} ${CHECKED[tls.verified]}`
  return tls.why === 'unix-socket' ? 'Unix socket' : 'not encrypted'
}

/** The same with whose certificate it was, or why there is none. */
export function describeTls(tls: NegotiatedTls): string {
  if (tls.kind === 'plain') {
    if (tls.why === 'unix-socket') return 'none needed: a Unix socket on this machine'
    return tls.why === 'disabled' ? 'none: not asked for' : 'none: the server offers no TLS'
  }
  const subject = /(?:^|,\s*|\/)CN=([^,/]+)/.exec(tls.peerSubject)?.[1] ?? tls.peerSubject
  const client = tls.hasClientCertificate ? ', with a client certificate' : ''
  const checked = tls.verified === 'none' ? 'not verified, may be anybody' : CHECKED[tls.verified]
  return `${printTlsVersion(tls.protocol)} ${checked}, certificate of ${subject}${client}`
}

/** `0.1 s ahead of this machine`. `ms`: the database's clock minus this machine's. */
export function describeClock(ms: number): string {
  if (Math.abs(ms) < 50) return 'as this machine'
  const seconds = (Math.abs(ms) / 1_000).toFixed(1)
  return `${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} this machine`
}

/** `orders@db-2/app` of `postgres://orders@db-2:5432/app through bastion`: who, where and which database, for a chip. */
export function shortPlace(path: string): string {
  const found = /^postgres:\/\/([^@]*)@(\[[^\]]*\]|[^:/]*)(?::\d+)?\/(\S*)/.exec(path)
  if (found === null) return path
  const [, user = '', host = '', database = ''] = found
  const place = `${decode(host)}/${decode(database)}`
  return `${decode(user)}@${host === '' ? decode(database) : place}`
}

/** The same with the port and the database, for a list. */
export function longPlace(path: string): string {
  return decode(path.replace(/^postgres:\/\//, ''))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
