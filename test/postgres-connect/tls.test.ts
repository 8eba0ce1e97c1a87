import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { Secret } from '../../src/model/secret.ts'
import { openGate } from '../../src/store/postgres/connect/gate.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { type Authority, encryptKey, makeAuthority, read } from './support/certificates.ts'
import { administer, type Given, targetOf, troubleOf } from './support/connect.ts'

let authority: Authority
let stranger: Authority
let encrypted: PostgresServer
let plain: PostgresServer
let socketFolder: string

const LOCAL = ['DNS:localhost', 'IP:127.0.0.1']

beforeAll(async () => {
  authority = makeAuthority('Test authority')
  stranger = makeAuthority('Somebody else')
  const { cert, key } = authority.issue('db.example', { names: LOCAL })
  const expired = authority.issue('db.example', { names: LOCAL, isExpired: true })
  const foreign = authority.issue('other.example', { names: ['DNS:other.example'] })
  const files = {
    'server.crt': read(cert),
    'server.key': read(key),
    'ca.crt': read(authority.root),
  }
  const others = {
    'kept.crt': read(cert),
    'kept.key': read(key),
    'expired.crt': read(expired.cert),
    'expired.key': read(expired.key),
    'foreign.crt': read(foreign.cert),
    'foreign.key': read(foreign.key),
  }
  encrypted = await startPostgres(findBinaries()[0]!, {
    isDurable: false,
    settings: {
      ssl: 'on',
      ssl_cert_file: 'server.crt',
      ssl_key_file: 'server.key',
      ssl_ca_file: 'ca.crt',
    },
    files: { ...files, ...others },
    hba: [
      'hostssl all certified 127.0.0.1/32 cert',
      'hostssl all tls_only 127.0.0.1/32 trust',
      'host all postgres 127.0.0.1/32 trust',
    ],
  })
  socketFolder = mkdtempSync(join(tmpdir(), 'a2-socket-'))
  // The server runs as another user.
  chmodSync(socketFolder, 0o777)
  plain = await startPostgres(findBinaries()[0]!, {
    isDurable: false,
    settings: { unix_socket_directories: socketFolder },
  })
  await administer(
    encrypted.connectionString,
    'create role certified login',
    'create role tls_only login',
  )
})
afterAll(async () => {
  await Promise.all([encrypted.stop(), plain.stop()])
  authority.remove()
  stranger.remove()
  rmSync(socketFolder, { recursive: true, force: true })
})

function url(
  parameters: string,
  { user = 'postgres', host = 'localhost', port = encrypted.port } = {},
) {
  return `postgres://${user}@${host}:${port}/postgres?${parameters}`
}

/** What was agreed on, and what the server itself says of the connection. */
async function negotiated(text: string, given?: Given) {
  const gate = await openGate(await targetOf(text, given))
  const state = gate.state()
  const [server] = await gate.interactive.query({
    sql: 'select ssl, version, client_dn from pg_stat_ssl where pid = pg_backend_pid()',
    params: [],
  })
  await gate.close()
  if (state.status !== 'connected') throw new Error(state.status)
  return { tls: state.server.tls, server }
}

async function refusal(text: string, given?: Given) {
  return troubleOf(openGate(await targetOf(text, given)))
}

/** Runs with another certificate of the server. */
async function withCertificate(name: string, run: () => Promise<void>): Promise<void> {
  const copy = (from: string, to: string) => (folder: string) => {
    for (const kind of ['crt', 'key'])
      copyFileSync(join(folder, `${from}.${kind}`), join(folder, `${to}.${kind}`))
  }
  await encrypted.restart(copy(name, 'server'))
  try {
    await run()
  } finally {
    await encrypted.restart(copy('kept', 'server'))
  }
}

test('disable: plain, also where TLS could be had', async () => {
  const { tls, server } = await negotiated(url('sslmode=disable'))
  expect(tls).toStrictEqual({ kind: 'plain', why: 'disabled' })
  expect(server).toMatchObject({ ssl: false })
})

test('prefer: encrypted and unverified, with the true facts', async () => {
  const { tls, server } = await negotiated(url('sslmode=prefer'))
  expect(tls).toMatchObject({
    kind: 'tls',
    protocol: 'TLSv1.3',
    verified: 'none',
    peerSubject: 'CN=db.example',
    peerIssuer: 'CN=Test authority',
    hasClientCertificate: false,
  })
  expect(server).toMatchObject({ ssl: true, version: 'TLSv1.3' })
  if (tls.kind !== 'tls') return
  expect(tls.cipher).toMatch(/^TLS_/)
  expect(tls.expiresAt - Date.now()).toBeGreaterThan(300 * 86_400_000)
})

test('prefer: plain where the server has no TLS, and it says so', async () => {
  const { tls } = await negotiated(url('sslmode=prefer', { port: plain.port }))
  expect(tls).toStrictEqual({ kind: 'plain', why: 'refused' })
})

test('a Unix socket is never encrypted, whatever is asked for', async () => {
  const text = `postgres://postgres@/postgres?host=${socketFolder}&port=${plain.port}`
  const { tls } = await negotiated(`${text}&sslmode=verify-full`)
  expect(tls).toStrictEqual({ kind: 'plain', why: 'unix-socket' })
})

test.each(['require', 'verify-ca', 'verify-full'])('%s: not plain', async (mode) => {
  const root = `sslrootcert=${authority.root}`
  expect(await refusal(url(`sslmode=${mode}&${root}`, { port: plain.port }))).toMatchObject({
    kind: 'tls-not-offered',
  })
})

test('require: unverified without a root certificate, like verify-ca with one', async () => {
  const without = await negotiated(url('sslmode=require', { host: '127.0.0.1' }))
  expect(without.tls).toMatchObject({ kind: 'tls', verified: 'none' })
  const withRoot = await negotiated(url(`sslmode=require&sslrootcert=${authority.root}`))
  expect(withRoot.tls).toMatchObject({ kind: 'tls', verified: 'chain' })
  expect(await refusal(url(`sslmode=require&sslrootcert=${stranger.root}`))).toMatchObject({
    kind: 'tls-untrusted',
  })
})

test.each(['localhost', '127.0.0.1'])('verify-full: chain and host name %s', async (host) => {
  const { tls } = await negotiated(
    url(`sslmode=verify-full&sslrootcert=${authority.root}`, { host }),
  )
  expect(tls).toMatchObject({ kind: 'tls', verified: 'chain-and-host' })
})

test.each(['verify-ca', 'verify-full'])('%s: another authority', async (mode) => {
  expect(await refusal(url(`sslmode=${mode}&sslrootcert=${stranger.root}`))).toMatchObject({
    kind: 'tls-untrusted',
    code: expect.stringMatching(/^[A-Z_]+$/),
  })
})

test('the trust store of the system does not know the authority', async () => {
  expect(await refusal(url('sslrootcert=system'))).toMatchObject({ kind: 'tls-untrusted' })
})

test('verify-ca and verify-full: no root certificate, none that can be read', async () => {
  expect(await refusal(url('sslmode=verify-ca'))).toMatchObject({ kind: 'tls-file' })
  expect(await refusal(url('sslmode=verify-full&sslrootcert=/nowhere.crt'))).toMatchObject({
    kind: 'tls-file',
    code: 'ENOENT',
    detail: '/nowhere.crt',
  })
  expect(await refusal(url(`sslmode=verify-ca&sslrootcert=${import.meta.filename}`))).toMatchObject(
    {
      kind: 'tls-file',
    },
  )
})

test('a certificate for another host', async () => {
  await withCertificate('foreign', async () => {
    const root = `sslrootcert=${authority.root}`
    expect(await refusal(url(`sslmode=verify-full&${root}`))).toMatchObject({
      kind: 'tls-wrong-host',
    })
    const { tls } = await negotiated(url(`sslmode=verify-ca&${root}`))
    expect(tls).toMatchObject({ verified: 'chain', peerSubject: 'CN=other.example' })
  })
})

test('the host name counts, not the address it is reached at', async () => {
  const root = `sslrootcert=${authority.root}`
  const text = url(`sslmode=verify-full&${root}&hostaddr=127.0.0.1`, { host: 'db.example' })
  expect(await refusal(text)).toMatchObject({ kind: 'tls-wrong-host' })
})

test('an expired certificate', async () => {
  await withCertificate('expired', async () => {
    expect(await refusal(url(`sslmode=verify-full&sslrootcert=${authority.root}`))).toMatchObject({
      kind: 'tls-expired',
      code: 'CERT_HAS_EXPIRED',
    })
  })
})

test('a client certificate logs in', async () => {
  const { cert, key } = authority.issue('certified')
  const files = `sslmode=require&sslcert=${cert}&sslkey=${key}`
  const { tls, server } = await negotiated(url(files, { user: 'certified' }))
  expect(tls).toMatchObject({ hasClientCertificate: true })
  expect(server).toMatchObject({ client_dn: '/CN=certified' })
})

test('an encrypted key asks for its passphrase, and a wrong one is told without it', async () => {
  const { cert, key } = authority.issue('certified')
  const locked = encryptKey(key, 'open sesame')
  const text = url(`sslmode=require&sslcert=${cert}&sslkey=${locked}`, { user: 'certified' })
  const answer = (passphrase: string): Given => ({
    credentials: {
      ask: async ({ purpose }) => (purpose === 'key-passphrase' ? new Secret(passphrase) : null),
    },
  })
  const { tls } = await negotiated(text, answer('open sesame'))
  expect(tls).toMatchObject({ hasClientCertificate: true })
  const trouble = await refusal(text, answer('0pen barley'))
  expect(trouble).toMatchObject({ kind: 'tls-file', detail: locked })
  expect(JSON.stringify(trouble)).not.toContain('barley')
})

test('no client certificate where one is demanded', async () => {
  expect(await refusal(url('sslmode=require', { user: 'certified' }))).toMatchObject({
    kind: 'not-admitted',
    code: '28000',
  })
})

test('a client certificate of somebody else', async () => {
  const { cert, key } = stranger.issue('certified')
  const text = url(`sslmode=require&sslcert=${cert}&sslkey=${key}`, { user: 'certified' })
  expect(await refusal(text)).toMatchObject({
    kind: 'tls-client-certificate',
    code: expect.stringMatching(/ALERT_UNKNOWN_CA$/),
  })
})

test('a key that others may read, and one that does not belong to the certificate', async () => {
  const { cert, key } = authority.issue('certified')
  const other = authority.issue('certified')
  const text = (path: string) => url(`sslmode=require&sslcert=${cert}&sslkey=${path}`)
  expect(await refusal(text(other.key))).toMatchObject({ kind: 'tls-file', detail: other.key })
  chmodSync(key, 0o644)
  expect(await refusal(text(key))).toMatchObject({ kind: 'tls-file', code: 'open-to-others' })
})

test('a server that lets in over TLS only', async () => {
  const user = 'tls_only'
  expect(await refusal(url('sslmode=disable', { user }))).toMatchObject({ kind: 'not-admitted' })
  expect((await negotiated(url('sslmode=prefer', { user }))).tls).toMatchObject({ kind: 'tls' })
})

test.each([
  ['S and more in clear', 'SX', 'unexpected-answer'],
  ['what is no answer', 'H', 'unexpected-answer'],
  ['S and then nonsense', 'S', 'ERR_SSL_'],
])('somebody in between who says %s', async (_name, first, code) => {
  const liar = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(first)
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
  })
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
  const address = liar.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const trouble = await refusal(url('sslmode=prefer', { host: '127.0.0.1', port }))
  expect(trouble).toMatchObject({ kind: 'tls-failed', code: expect.stringContaining(code) })
  liar.close()
})
