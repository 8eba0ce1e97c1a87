import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import * as nodeTls from 'node:tls'
import { checkServerIdentity, type ConnectionOptions, createSecureContext } from 'node:tls'

import { codeOf, privacyOf } from './local-files.ts'
import type { Target } from './target.ts'
import { makeTrouble } from './trouble.ts'

export interface TlsPlan {
  readonly verified: 'none' | 'chain' | 'chain-and-host'
  readonly options: ConnectionOptions
  readonly hasClientCertificate: boolean
}

/** What TLS is asked to do, as libpq reads the settings. Rejects with StoreTrouble tls-file, or what fetching a passphrase throws. */
export async function planTls(target: Target): Promise<TlsPlan> {
  const { host, tls } = target.settings
  const verified = verificationOf(tls.mode, tls.rootCert !== null)
  if (verified !== 'none' && tls.rootCert === null)
    throw makeTrouble(
      target.maker,
      'tls-file',
      'ENOENT',
      'No root certificate (sslrootcert) is given.',
    )
  const own = await readOwnCertificate(target)
  const options: ConnectionOptions = {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: verified !== 'none',
    // The name asked for, also when it is reached through ssh or at another address.
    checkServerIdentity: (_name, certificate) =>
      verified === 'chain-and-host' ? checkServerIdentity(host, certificate) : undefined,
    ...(verified === 'none' ? {} : { ca: await readRoots(target, tls.rootCert ?? '') }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...own,
  }
  return { verified, options, hasClientCertificate: own !== null }
}

/** require verifies the chain where there is a root certificate; prefer promises nothing. */
function verificationOf(mode: string, hasRoot: boolean): TlsPlan['verified'] {
  if (mode === 'verify-full') return 'chain-and-host'
  if (mode === 'verify-ca' || (mode === 'require' && hasRoot)) return 'chain'
  return 'none'
}

async function readRoots(target: Target, rootCert: string): Promise<string[]> {
  if (rootCert === 'system') {
    // Older runtimes cannot read it; those they bring along are not what was asked for.
    if (!('getCACertificates' in nodeTls))
      throw makeTrouble(target.maker, 'tls-file', 'no-store', rootCert)
    return nodeTls.getCACertificates('system')
  }
  const text = await readPem(target, rootCert)
  try {
    createSecureContext({ ca: text })
  } catch (error) {
    throw makeTrouble(target.maker, 'tls-file', codeOf(error), rootCert)
  }
  if (!text.includes('-----BEGIN '))
    throw makeTrouble(target.maker, 'tls-file', 'not-pem', rootCert)
  return [text]
}

interface OwnCertificate {
  readonly cert: string
  readonly key: string
  readonly passphrase?: string
}

async function readOwnCertificate(target: Target): Promise<OwnCertificate | null> {
  const { cert: certPath, key: keyPath } = target.settings.tls
  if (certPath === null) return null
  if (keyPath === null)
    throw makeTrouble(
      target.maker,
      'tls-file',
      'ENOENT',
      `There is no key (sslkey) for ${certPath}.`,
    )
  const [cert, key] = [await readPem(target, certPath), await readPem(target, keyPath)]
  const privacy = await privacyOf(keyPath, { mayBeRoots: true })
  if (privacy !== 'private') throw makeTrouble(target.maker, 'tls-file', privacy, keyPath)
  return checkKey(target, keyPath, { cert, key })
}

/** Encrypted keys need their passphrase, which is fetched only then. */
async function checkKey(
  target: Target,
  keyPath: string,
  own: OwnCertificate,
): Promise<OwnCertificate> {
  const { credentials, maker } = target
  const isEncrypted = /ENCRYPTED/.test(own.key)
  const secret = isEncrypted
    ? (credentials.known('key-passphrase') ?? (await credentials.fetch('key-passphrase')))
    : null
  const whole = secret === null ? own : { ...own, passphrase: secret.reveal() }
  try {
    createSecureContext(whole)
    return whole
  } catch (error) {
    if (isEncrypted) credentials.refuse('key-passphrase')
    throw makeTrouble(maker, 'tls-file', codeOf(error), keyPath)
  }
}

async function readPem(target: Target, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw makeTrouble(target.maker, 'tls-file', codeOf(error), path)
  }
}
