import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { A2Error } from '../../src/store/errors.ts'
import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, storeTroubleOf, targetOf, troubleOf, until } from './support/connect.ts'
import { type Proxy, startProxy } from './support/proxy.ts'

let server: PostgresServer
let admin: string
let proxy: Proxy
let gate: PostgresGate

const statement = (sql: string) => ({ sql, params: [] })
const insert = (connection: Connection) =>
  connection.transaction(async (tx) => {
    await tx.send(statement(`insert into a2_events values ('s', 1)`))
    return 'written'
  })

beforeAll(async () => {
  server = await startPostgres(findBinaries()[0]!, { isDurable: false })
  admin = server.connectionString
  await administer(
    admin,
    'create table a2_events (session_id text, idx bigint)',
    'create table a2_clears (session_id text, clear_index bigint)',
    'create role reader login',
    'grant select on all tables in schema public to reader',
    'create role cautious login',
    'alter role cautious set default_transaction_read_only = on',
    'grant all on all tables in schema public to cautious',
  )
})
afterAll(() => server.stop())
beforeEach(async () => {
  proxy = await startProxy(server.port)
  gate = await open()
})
afterEach(async () => {
  vi.useRealTimers()
  await gate.close()
  await proxy.close()
  await administer(admin, 'truncate a2_events')
})

async function open(user = 'postgres'): Promise<PostgresGate> {
  const target = await targetOf(`postgres://${user}@127.0.0.1:${proxy.port}/postgres`)
  return openGate({ ...target, random: () => 0 })
}

async function count(): Promise<number> {
  const rows = await administer<{ n: number }>(admin, 'select count(*)::int as n from a2_events')
  return rows[0]!.n
}

const connections = () =>
  administer<{ pid: number }>(
    admin,
    `select pid from pg_stat_activity where application_name = 'a2-inspector'`,
  )

test('locked from the beginning', async () => {
  const error = await storeTroubleOf(gate.write(insert))
  expect(error.trouble).toMatchObject({ kind: 'writing-locked' })
  expect(error.isOutcomeUnknown).toBe(false)
  expect(gate.unlockedUntil()).toBe(null)
  expect(await count()).toBe(0)
})

test('unlocked for ten minutes on a connection of its own, and locked again', async () => {
  const told: (number | null)[] = []
  gate.onWriting((unlockedUntil) => told.push(unlockedUntil))
  const before = Date.now()
  const outcome = await gate.unlock()
  expect(outcome).toStrictEqual({ outcome: 'unlocked', until: gate.unlockedUntil() })
  expect(gate.unlockedUntil()! - before).toBeGreaterThanOrEqual(600_000)
  expect(gate.unlockedUntil()! - Date.now()).toBeLessThanOrEqual(600_000)
  await gate.background.query(statement('select 1'))
  expect(await connections()).toHaveLength(3)
  expect(await gate.write(insert)).toBe('written')
  await gate.lock()
  await until(async () => (await connections()).length === 2)
  expect(await troubleOf(gate.write(insert))).toMatchObject({ kind: 'writing-locked' })
  expect(await count()).toBe(1)
  expect(told).toStrictEqual([expect.any(Number), null])
})

test('the readers cannot write while writing is unlocked', async () => {
  await gate.unlock()
  const write = statement(`insert into a2_events values ('s', 1)`)
  expect(await troubleOf(gate.interactive.query(write))).toMatchObject({ code: '25006' })
  expect(await troubleOf(gate.background.query(write))).toMatchObject({ code: '25006' })
})

test('the time ends by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
  await gate.unlock(2)
  vi.advanceTimersByTime(119_000)
  expect(gate.unlockedUntil()).not.toBe(null)
  vi.advanceTimersByTime(1_500)
  expect(gate.unlockedUntil()).toBe(null)
  vi.useRealTimers()
  expect(await troubleOf(gate.write(insert))).toMatchObject({ kind: 'writing-locked' })
  await until(async () => (await connections()).length === 1)
  expect(await count()).toBe(0)
})

test('locking lets the write under way end', async () => {
  await gate.unlock()
  const { promise: hold, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const written = gate.write((connection) =>
    connection.transaction(async (tx) => {
      await tx.send(statement(`insert into a2_events values ('s', 1)`))
      begin()
      await hold
    }),
  )
  await begun
  const locked = gate.lock()
  expect(gate.unlockedUntil()).toBe(null)
  goOn()
  await Promise.all([written, locked])
  expect(await count()).toBe(1)
})

test('unlock and lock at once end locked', async () => {
  await Promise.all([gate.unlock(), gate.lock()])
  expect(gate.unlockedUntil()).toBe(null)
})

test('a role that may only read', async () => {
  const other = await open('reader')
  expect(await other.unlock()).toMatchObject({ outcome: 'refused', reason: { kind: 'no-right' } })
  expect(other.unlockedUntil()).toBe(null)
  await until(async () => (await connections()).length === 2)
  expect(await troubleOf(other.write(insert))).toMatchObject({ kind: 'writing-locked' })
  await other.close()
})

test('a right that is taken away while writing is unlocked', async () => {
  await administer(admin, 'grant all on all tables in schema public to reader')
  const other = await open('reader')
  await other.unlock()
  await administer(admin, 'revoke insert on a2_events from reader')
  const error = await storeTroubleOf(other.write(insert))
  expect(error.trouble).toMatchObject({ kind: 'no-right', code: '42501' })
  expect(error.isOutcomeUnknown).toBe(false)
  await administer(
    admin,
    'revoke all on all tables in schema public from reader',
    'grant select on all tables in schema public to reader',
  )
  await other.close()
})

test('a role that is read-only by default writes when it is unlocked, and only then', async () => {
  const other = await open('cautious')
  expect(await other.unlock()).toMatchObject({ outcome: 'unlocked' })
  expect(await other.write(insert)).toBe('written')
  await other.close()
})

test('a rule of the store comes as it is, and nothing is written', async () => {
  await gate.unlock()
  const rule = new A2Error('SESSION_CLEARED', 'cleared')
  const failing = gate.write((connection) =>
    connection.transaction(async (tx) => {
      await tx.send(statement(`insert into a2_events values ('s', 1)`))
      throw rule
    }),
  )
  await expect(failing).rejects.toBe(rule)
  expect(await count()).toBe(0)
  expect(await gate.write(insert)).toBe('written')
})

test('a connection cut before the commit: surely not written, and not repeated', async () => {
  await gate.unlock()
  let runs = 0
  const error = await storeTroubleOf(
    gate.write((connection) =>
      connection.transaction(async (tx) => {
        runs += 1
        await tx.send(statement(`insert into a2_events values ('s', 1)`))
        proxy.cut()
        await tx.send(statement('select 1'))
      }),
    ),
  )
  expect(error.trouble).toMatchObject({ kind: 'connection-lost' })
  expect([error.isOutcomeUnknown, runs]).toStrictEqual([false, 1])
  expect(await count()).toBe(0)
  // The time is not over: the next write opens the connection again.
  expect(await gate.write(insert)).toBe('written')
})

test.each([
  ['before it arrived', 0],
  ['after it arrived', 1],
])(
  'a connection cut with the commit %s: the outcome is unknown, and it is not repeated',
  async (_when, rows) => {
    await gate.unlock()
    proxy.onceSent('commit\0', () => {
      if (rows === 0) proxy.cut()
      else proxy.isDeaf = true
    })
    const error = await storeTroubleOf(gate.write(insert, { deadlineMs: 1_500 }))
    expect(error.isOutcomeUnknown).toBe(true)
    expect(['connection-lost', 'timeout']).toContain(error.trouble.kind)
    proxy.isDeaf = false
    await until(async () => (await count()) === rows)
    expect(await count()).toBe(rows)
  },
)

test('a black hole ends a write by its deadline', async () => {
  await gate.unlock()
  proxy.mode = 'black-hole'
  const started = performance.now()
  const error = await storeTroubleOf(
    gate.write(
      (connection) =>
        connection.transaction(async (tx) => {
          await tx.send(statement(`insert into a2_events values ('s', 1)`))
        }),
      { deadlineMs: 500 },
    ),
  )
  expect(error.trouble).toMatchObject({ kind: 'timeout', code: 'deadline' })
  expect(error.isOutcomeUnknown).toBe(false)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('a lock somebody holds is not waited for', async () => {
  await gate.unlock()
  const holding = administer(admin, 'begin', 'lock table a2_events', 'select pg_sleep(3)')
  await until(async () => {
    const rows = await administer<object>(
      admin,
      `select 1 from pg_locks where relation = 'a2_events'::regclass and mode = 'AccessExclusiveLock'`,
    )
    return rows.length > 0
  })
  const error = await storeTroubleOf(gate.write(insert))
  expect(error.trouble).toMatchObject({ kind: 'lock-timeout', code: '55P03' })
  expect(error.isOutcomeUnknown).toBe(false)
  await holding
})

test('several statements in one text are refused', async () => {
  await gate.unlock()
  const text = `insert into a2_events values ('s', 1); insert into a2_events values ('s', 2)`
  const both = gate.write((connection) => connection.query(statement(text)))
  expect(await troubleOf(both)).toMatchObject({ code: '42601' })
  expect(await count()).toBe(0)
})

test('a failover to a standby locks writing, and a promotion lets it be unlocked', async () => {
  await gate.unlock()
  await server.restart((folder) => writeFileSync(join(folder, 'standby.signal'), ''))
  await gate.interactive.query(statement('select 1'), { deadlineMs: 30_000 })
  expect(gate.state()).toMatchObject({ status: 'connected', server: { isStandby: true } })
  expect(gate.unlockedUntil()).toBe(null)
  expect(await gate.unlock()).toMatchObject({ outcome: 'refused', reason: { kind: 'standby' } })
  const told: unknown[] = []
  gate.onState((state) => state.status === 'connected' && told.push(state.server.isStandby))
  await administer(admin, 'select pg_promote()')
  await until(async () => {
    // The server tells of its promotion with the next answer.
    await gate.interactive.query(statement('select 1'))
    const state = gate.state()
    return state.status === 'connected' && !state.server.isStandby
  })
  expect(told).toStrictEqual([false])
  expect(await gate.unlock()).toMatchObject({ outcome: 'unlocked' })
  expect(await gate.write(insert)).toBe('written')
})
