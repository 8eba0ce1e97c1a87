import type { TroubleKind } from '../../../model/database.ts'
import type { Secret } from '../../../model/secret.ts'
import { StoreTrouble } from '../../trouble.ts'
import { codeOf } from './local-files.ts'
import { toPlainText } from './plain-text.ts'

/** By SQLSTATE, else by its class. Nothing is judged by a message. */
const BY_STATE: Readonly<Record<string, TroubleKind>> = {
  '08P01': 'pooler-refused',
  '25006': 'read-only-server',
  '28000': 'not-admitted',
  '28P01': 'auth-failed',
  '3D000': 'no-such-database',
  '3F000': 'no-such-schema',
  '40001': 'lock-timeout',
  '40P01': 'lock-timeout',
  '42501': 'no-right',
  '42P01': 'no-a2-tables',
  '53300': 'too-many-connections',
  '53100': 'disk',
  '55P03': 'lock-timeout',
  '57014': 'timeout',
  '57P01': 'server-shutting-down',
  '57P02': 'server-shutting-down',
  '57P03': 'server-shutting-down',
  '57P04': 'no-such-database',
  '57P05': 'connection-lost',
  '25P03': 'connection-lost',
  '25P04': 'timeout',
}

const BY_CLASS: Readonly<Record<string, TroubleKind>> = {
  '08': 'connection-lost',
  '22': 'incompatible',
  '23': 'incompatible',
  '28': 'auth-failed',
  '42': 'incompatible',
  '53': 'too-many-connections',
  '58': 'disk',
  XX: 'unexpected',
}

const BY_ERRNO: Readonly<Record<string, TroubleKind>> = {
  EACCES: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ECONNREFUSED: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOENT: 'unreachable',
  ENOTSOCK: 'unreachable',
  EPERM: 'unreachable',
  ENOTFOUND: 'no-such-host',
  EAI_AGAIN: 'no-such-host',
  EAI_NODATA: 'no-such-host',
  EAI_NONAME: 'no-such-host',
  ETIMEDOUT: 'timeout',
  ECONNABORTED: 'connection-lost',
  ECONNRESET: 'connection-lost',
  EPIPE: 'connection-lost',
  ERR_STREAM_DESTROYED: 'connection-lost',
  ERR_STREAM_PREMATURE_CLOSE: 'connection-lost',
  ERR_STREAM_WRITE_AFTER_END: 'connection-lost',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-wrong-host',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
}

/** Names OpenSSL gives a chain it cannot verify. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|CRL_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT_)/
/** Alerts a server sends about the certificate of the client. */
const CLIENT_CERTIFICATE =
  /^ERR_SSL_\w*ALERT_(?:\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED)$|^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/

/** Kinds for which trying again by itself is of no use. */
const LASTING: readonly TroubleKind[] = [
  ...(['auth-failed', 'not-admitted', 'password-missing', 'secret-unavailable'] as const),
  ...(['tls-not-offered', 'tls-untrusted', 'tls-wrong-host', 'tls-expired'] as const),
  ...(['tls-client-certificate', 'tls-file', 'tls-failed'] as const),
  ...(['no-such-database', 'no-such-schema'] as const),
]

export function isLasting(trouble: StoreTrouble): boolean {
  return LASTING.includes(trouble.trouble.kind)
}

const LOST: readonly TroubleKind[] = [
  'connection-lost',
  'server-shutting-down',
  'ssh-failed',
  // A pooler reports a lost server as a violation of the protocol.
  'pooler-refused',
]

/** The connection is gone, whatever the statement was. */
export function isLoss(trouble: StoreTrouble): boolean {
  return LOST.includes(trouble.trouble.kind)
}

/** What makes troubles of one connection: its name in words, and the secrets nobody may see. */
export interface TroubleMaker {
  readonly path: string
  secrets(): readonly Secret[]
}

export function makeTrouble(
  maker: TroubleMaker,
  kind: TroubleKind,
  code: string | null = null,
  detail: string | null = null,
): StoreTrouble {
  const clean = detail === null ? null : toPlainText(detail, maker.secrets())
  return new StoreTrouble({
    kind,
    path: maker.path,
    code,
    ...(clean === null ? {} : { detail: clean }),
  })
}

/**
 * Translates what the driver, the socket or TLS reported. The original is left behind: a driver's
 * error can hold more than its words. `fallback`: for errors without a code.
 */
export function toTrouble(
  maker: TroubleMaker,
  error: unknown,
  fallback: TroubleKind = 'unexpected',
): StoreTrouble {
  if (error instanceof StoreTrouble) return error
  const code = codeOf(error) ?? firstCode(error)
  const detail = error instanceof Error ? error.message : null
  if (code === null) return makeTrouble(maker, fallback, null, detail)
  return makeTrouble(maker, kindOf(code) ?? fallback, code, detail)
}

function kindOf(code: string): TroubleKind | undefined {
  if (/^[0-9A-Z]{5}$/.test(code) && !(code in BY_ERRNO)) {
    return BY_STATE[code] ?? BY_CLASS[code.slice(0, 2)]
  }
  const known = BY_ERRNO[code]
  if (known !== undefined) return known
  if (CLIENT_CERTIFICATE.test(code)) return 'tls-client-certificate'
  if (UNTRUSTED.test(code)) return 'tls-untrusted'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls-failed'
  return undefined
}

/** Every address of a name was tried: the first failure speaks for all. */
function firstCode(error: unknown): string | null {
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null
}
