import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { makeAuthority, read } from './support/certificates.ts'
import { emptyMachine, targetOf, troubleOf, until } from './support/connect.ts'
import { type FakeSsh, isRunning, makeFakeSsh } from './support/fake-ssh.ts'

const authority = makeAuthority('Test authority')
let server: PostgresServer
let ssh: FakeSsh
const gates: PostgresGate[] = []

beforeAll(async () => {
  const { cert, key } = authority.issue('db.inside', { names: ['DNS:db.inside'] })
  server = await startPostgres(findBinaries()[0]!, {
    isDurable: false,
    settings: { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' },
    files: { 'server.crt': read(cert), 'server.key': read(key) },
  })
})
afterAll(async () => {
  await server.stop()
  authority.remove()
})
beforeEach(() => {
  ssh = makeFakeSsh()
})
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()))
  await until(() => ssh.calls().every(({ pid }) => !isRunning(pid)))
})

async function open(destination: string, parameters = 'sslmode=disable', host = 'db.inside') {
  const url = `postgres://postgres@${host}:${server.port}/postgres?${parameters}&ssh=${destination}`
  const target = await targetOf(url, { machine: ssh.machine })
  const gate = await openGate({ ...target, connectDeadlineMs: 5_000, random: () => 0 })
  gates.push(gate)
  return gate
}

const ONE = { sql: 'select 1 as one', params: [] }

test('ssh is called so that it asks nothing and opens no port', async () => {
  await open('me@box')
  const options = 'BatchMode=yes ConnectTimeout=5 ExitOnForwardFailure=yes ServerAliveInterval=15'
  const flags = options.split(' ').flatMap((option) => ['-o', option])
  const expected = ['-T', ...flags, '-W', `db.inside:${server.port}`, '--', 'me@box']
  expect(ssh.calls().map(({ args }) => args)).toStrictEqual([expected])
})

test('an IPv6 address stands in brackets', async () => {
  await troubleOf(open('denied', 'sslmode=disable', '[::1]'))
  expect(ssh.calls()[0]?.args).toContain(`[::1]:${server.port}`)
})

test('results larger than a pipe come through, on both connections', async () => {
  const gate = await open('box')
  const big = { sql: `select repeat('x', 3000000) as text`, params: [] }
  const [first, second] = await Promise.all([
    gate.interactive.query(big),
    gate.background.query(big),
  ])
  expect(String(first[0]?.['text'])).toHaveLength(3_000_000)
  expect(second).toStrictEqual(first)
  const sent = { sql: 'select length($1::text) as length', params: ['y'.repeat(3_000_000)] }
  expect(await gate.interactive.query(sent)).toStrictEqual([{ length: 3_000_000 }])
})

test('TLS is verified for the name inside, through the tunnel', async () => {
  const gate = await open('slow', `sslmode=verify-full&sslrootcert=${authority.root}`)
  const state = gate.state()
  expect(state).toMatchObject({
    status: 'connected',
    server: { tls: { verified: 'chain-and-host', peerSubject: 'CN=db.inside' } },
  })
})

test('what ssh said is the reason, without escape sequences', async () => {
  expect(await troubleOf(open('denied'))).toStrictEqual({
    kind: 'ssh-failed',
    path: `postgres://postgres@db.inside:${server.port}/postgres through denied`,
    code: 'exit 255',
    detail: 'me@denied: Permission denied (publickey).',
  })
  expect(await troubleOf(open('denied', 'sslmode=require'))).toMatchObject({
    kind: 'ssh-failed',
    detail: 'me@denied: Permission denied (publickey).',
  })
})

test('a port nobody listens on behind the tunnel', async () => {
  const url = 'postgres://postgres@127.0.0.1:1/postgres?ssh=box'
  const target = await targetOf(url, { machine: ssh.machine })
  expect(await troubleOf(openGate(target))).toMatchObject({
    kind: 'ssh-failed',
    detail: 'channel 0: open failed: connect failed: ECONNREFUSED\nstdio forwarding failed',
  })
})

test('an ssh that hangs ends with the deadline', async () => {
  const url = `postgres://postgres@db.inside:${server.port}/postgres?ssh=hangs`
  for (const mode of ['disable', 'prefer']) {
    const target = await targetOf(`${url}&sslmode=${mode}`, { machine: ssh.machine })
    expect(await troubleOf(openGate({ ...target, connectDeadlineMs: 400 }))).toMatchObject({
      kind: 'timeout',
    })
  }
})

test('no ssh on this machine', async () => {
  const url = `postgres://postgres@db.inside:${server.port}/postgres?ssh=box`
  const target = await targetOf(url, { machine: { ...emptyMachine(), env: { PATH: '/nowhere' } } })
  expect(await troubleOf(openGate(target))).toMatchObject({ kind: 'ssh-failed', code: 'ENOENT' })
})

test('a tunnel that breaks is made anew, and the read is repeated', async () => {
  const gate = await open('breaks')
  const reasons: (string | null)[] = []
  gate.onState((state) => {
    if (state.status === 'reconnecting') reasons.push(state.reason.detail ?? null)
  })
  process.kill(ssh.calls()[0]!.pid, 'SIGUSR2')
  await until(() => gate.state().status === 'reconnecting')
  expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
  expect(reasons[0]).toBe('Timeout, server breaks not responding.')
  expect(ssh.calls()).toHaveLength(2)
})

test('closing ends every ssh', async () => {
  const gate = await open('box')
  await gate.background.query(ONE)
  await gate.close()
  expect(ssh.calls()).toHaveLength(2)
  await until(() => ssh.calls().every(({ pid }) => !isRunning(pid)))
})
