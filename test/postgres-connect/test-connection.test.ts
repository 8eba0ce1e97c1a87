import { afterAll, beforeAll, expect, test } from 'vitest'

import { testConnection } from '../../src/store/postgres/connect/test-connection.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, targetOf, troubleOf, until } from './support/connect.ts'
import { startProxy } from './support/proxy.ts'

let servers: readonly PostgresServer[] = []

beforeAll(async () => {
  servers = await Promise.all(
    findBinaries().map((binaries) => startPostgres(binaries, { isDurable: false })),
  )
  for (const { connectionString } of servers) {
    await administer(
      connectionString,
      'create schema old',
      'create schema new',
      'create schema empty',
      'create table old.a2_events (session_id text, idx bigint)',
      'create table new.a2_events (session_id text, idx bigint)',
      'create table new.a2_clears (session_id text, clear_index bigint)',
      `insert into new.a2_events select 's', i from generate_series(1, 12345) as i`,
      'analyze new.a2_events',
      'create role reader login',
      'grant usage on schema new, old to reader',
      'grant select on all tables in schema new to reader',
      'alter table old.a2_events enable row level security',
      'create role nothing login',
    )
  }
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
})

const cases = findBinaries().map(({ name }, at) => ({ name, at }))

async function look(at: number, { user = 'postgres', schema = 'new' } = {}) {
  const { port } = servers[at]!
  return testConnection(
    await targetOf(`postgres://${user}@127.0.0.1:${port}/postgres?schema=${schema}`),
  )
}

test.each(cases)('$name: what it is, what is in it, how far away', async ({ at, name }) => {
  const found = await look(at)
  expect(found).toMatchObject({
    server: { isStandby: false, isPooled: false, tls: { kind: 'plain', why: 'refused' } },
    schema: '0.18',
    rights: { canRead: true, canWrite: true, isRowSecurityActive: false },
    size: { estimatedEvents: 12_345 },
  })
  expect(`Postgres ${found.server.version}`).toMatch(new RegExp(`^${name}\\.`))
  expect(Math.floor(found.server.versionNumber / 10_000)).toBe(Number(name.split(' ')[1]))
  // 12345 rows of some 40 bytes, in pages of 8 KiB.
  expect(found.size.bytes).toBeGreaterThan(400_000)
  expect(found.size.bytes).toBeLessThan(1_500_000)
  expect(found.latencyMs).toBeGreaterThan(0)
  // Both are this machine's clock.
  expect(Math.abs(found.clockDifferenceMs)).toBeLessThan(1_000)
})

test.each(cases)('$name: tables of another version, and none', async ({ at }) => {
  expect(await look(at, { schema: 'old' })).toMatchObject({
    schema: '0.16',
    // No rows yet: one page, of the index over what is stored out of line.
    size: { estimatedEvents: null, bytes: 8_192 },
  })
  expect(await look(at, { schema: 'empty' })).toMatchObject({
    schema: 'none',
    rights: { canRead: false, canWrite: false },
    size: { estimatedEvents: null, bytes: null },
  })
})

test.each(cases)('$name: rights of the role', async ({ at }) => {
  expect((await look(at, { user: 'reader' })).rights).toStrictEqual({
    canRead: true,
    canWrite: false,
    isRowSecurityActive: false,
  })
  expect((await look(at, { user: 'reader', schema: 'old' })).rights).toStrictEqual({
    canRead: false,
    canWrite: false,
    isRowSecurityActive: true,
  })
  // Without the right to look into a schema its tables are not found.
  expect((await look(at, { user: 'nothing' })).schema).toBe('none')
})

test('the latency is that of the way', async () => {
  const proxy = await startProxy(servers[0]!.port)
  proxy.delayMs = 120
  const target = await targetOf(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`)
  const { latencyMs } = await testConnection(target)
  expect(latencyMs).toBeGreaterThanOrEqual(115)
  await proxy.close()
})

test('nothing is left open, and a black hole ends in time', async () => {
  const [{ port, connectionString }] = servers as [PostgresServer]
  const ours = () =>
    administer(
      connectionString,
      `select 1 from pg_stat_activity where application_name = 'a2-inspector'`,
    )
  await until(async () => (await ours()).length === 0)
  const proxy = await startProxy(port)
  proxy.onceSent('clock_timestamp', () => {
    proxy.mode = 'black-hole'
  })
  const target = await targetOf(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`)
  expect(await troubleOf(testConnection(target, { deadlineMs: 700 }))).toMatchObject({
    kind: 'timeout',
  })
  proxy.cut()
  await proxy.close()
})
