import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { describeTrouble } from '../../src/model/describe-trouble.ts'
import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import type { Machine } from '../../src/store/postgres/connect/local-files.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { targetOf, troubleOf, until } from './support/connect.ts'
import { findSshd, type Sshd, startSshd } from './support/sshd.ts'

const binary = findSshd()

let server: PostgresServer
let sshd: Sshd
const gates: PostgresGate[] = []

beforeAll(async () => {
  if (binary === undefined) return
  server = await startPostgres(findBinaries()[0]!, { isDurable: false })
  sshd = await startSshd(binary)
})
afterEach(() => Promise.all(gates.splice(0).map((gate) => gate.close())))
afterAll(async () => {
  if (binary === undefined) return
  await sshd.stop()
  await server.stop()
})

async function open(
  destination: string,
  { machine = sshd.machine, port = server.port }: { machine?: Machine; port?: number } = {},
): Promise<PostgresGate> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable&ssh=${destination}`
  const gate = await openGate({ ...(await targetOf(url, { machine })), random: () => 0 })
  gates.push(gate)
  return gate
}

const ONE = { sql: 'select 1 as one', params: [] }

/** What ssh says; where it says more, the part that tells. */
const FAILURES = [
  {
    name: 'a key the server does not know',
    to: 'stranger',
    says: /Permission denied \(publickey\)\.$/,
  },
  {
    name: 'no key without its agent',
    to: 'with-agent',
    says: /Permission denied \(publickey\)\.$/,
  },
  { name: 'a host nobody has seen before', to: 'unknown', says: /Host key verification failed\.$/ },
  {
    name: 'a host with another key than before',
    to: 'changed',
    says: /Host key for \S+ has changed[^]*Host key verification failed\.$/,
  },
  {
    name: 'a jump that is refused',
    to: 'through-stranger',
    says: /Permission denied \(publickey\)\./,
  },
] as const

describe.runIf(binary !== undefined)('through a real sshd', () => {
  test('the names of its config lead through a real server, on both connections', async () => {
    const gate = await open('box')
    const big = { sql: `select repeat('x', 3000000) as text`, params: [] }
    const [[first], [second]] = await Promise.all([
      gate.interactive.query(big),
      gate.background.query(big),
    ])
    expect(String(first?.['text'])).toHaveLength(3_000_000)
    expect(second).toStrictEqual(first)
    expect(sshd.log()).toContain('Accepted publickey')
  })

  test('ProxyJump: through itself, two logins a connection', async () => {
    const before = sshd.log().split('Accepted publickey').length
    const gate = await open('through')
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(sshd.log().split('Accepted publickey').length - before).toBe(2)
  })

  test('a key of the agent', async () => {
    const gate = await open('with-agent', { machine: await sshd.withAgent() })
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
  })

  test.each(FAILURES)('$name: the words of ssh', async ({ to, says }) => {
    const trouble = await troubleOf(open(to))
    expect(trouble).toMatchObject({ kind: 'ssh-failed', code: 'exit 255' })
    expect(trouble.path).toMatch(new RegExp(`through ${to}$`))
    expect(trouble.detail).toMatch(says)
    expect(describeTrouble(trouble).title).toBe('ssh did not get through')
  })

  test('nothing listens behind the tunnel', async () => {
    const trouble = await troubleOf(open('box', { port: 1 }))
    expect(trouble).toMatchObject({ kind: 'ssh-failed' })
    expect(trouble.detail).toContain('connect failed: Connection refused')
  })

  // The last one: the server is gone afterwards.
  test('a server that dies under the tunnel: the words of ssh while it is tried again', async () => {
    const gate = await open('box')
    const reasons: string[] = []
    gate.onState((state) => {
      if (state.status === 'reconnecting')
        reasons.push(`${state.reason.kind}: ${state.reason.detail}`)
    })
    await sshd.kill()
    await until(() => reasons.some((reason) => /^ssh-failed: .*Connection refused/.test(reason)))
    expect(gate.state()).toMatchObject({ status: 'reconnecting' })
    expect(await troubleOf(gate.interactive.query(ONE, { deadlineMs: 500 }))).toMatchObject({
      kind: 'ssh-failed',
    })
  })
})
