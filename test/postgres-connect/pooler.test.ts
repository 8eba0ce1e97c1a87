import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import { testConnection } from '../../src/store/postgres/connect/test-connection.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, storeTroubleOf, targetOf, troubleOf, until } from './support/connect.ts'
import { startFakePooler } from './support/fake-pooler.ts'
import { findPgbouncer, type OnOptions, type Pooler, startPgbouncer } from './support/pgbouncer.ts'

let server: PostgresServer
let admin: string

const statement = (sql: string) => ({ sql, params: [] })
const ONE = statement('select 1 as one')

beforeAll(async () => {
  server = await startPostgres(findBinaries()[0]!, { isDurable: false })
  admin = server.connectionString
  await administer(
    admin,
    'create schema app',
    'create table app.a2_events (session_id text, idx bigint)',
    'create table app.a2_clears (session_id text, clear_index bigint)',
  )
})
afterAll(() => server.stop())

interface Kind {
  readonly name: string
  readonly start: (onOptions: OnOptions) => Promise<Pooler>
}

const binary = findPgbouncer()
const kinds: Kind[] = [
  { name: 'a stand-in', start: (onOptions) => startFakePooler(server.port, onOptions) },
  ...(binary === undefined
    ? []
    : [
        {
          name: 'PgBouncer',
          start: (onOptions: OnOptions) => startPgbouncer(binary, server.port, onOptions),
        },
      ]),
]
const cases = kinds.flatMap(({ name, start }) =>
  (['refuses', 'ignores'] as const).map((onOptions) => ({ name, onOptions, start })),
)

describe.each(cases)('behind $name that $onOptions startup options', ({ onOptions, start }) => {
  let pooler: Pooler
  let gate: PostgresGate

  const target = () => targetOf(`postgres://postgres@127.0.0.1:${pooler.port}/postgres?schema=app`)

  beforeEach(async () => {
    pooler = await start(onOptions)
    gate = await openGate({ ...(await target()), random: () => 0 })
  })
  afterEach(async () => {
    await gate.close()
    await pooler.stop()
    await administer(admin, 'truncate app.a2_events')
  })

  test('the pooler is noticed', async () => {
    expect(gate.state()).toMatchObject({ status: 'connected', server: { isPooled: true } })
    expect(await testConnection(await target())).toMatchObject({
      server: { isPooled: true },
      schema: '0.18',
      rights: { canRead: true, canWrite: true },
    })
  })

  test('our settings are in force for every statement, whatever the session was left with', async () => {
    const rogue = new Client({
      host: '127.0.0.1',
      port: pooler.port,
      user: 'postgres',
      database: 'postgres',
    })
    await rogue.connect()
    await rogue.query('set statement_timeout = 1234567')
    await rogue.query('set default_transaction_read_only = off')
    await rogue.query('set search_path = pg_catalog')
    const ask = {
      sql: 'select name, setting from pg_settings where name = any($1) order by name collate "C"',
      params: [['lock_timeout', 'search_path', 'statement_timeout', 'transaction_read_only']],
    }
    for (const [reader, timeout] of [
      [gate.interactive, '5000'],
      [gate.background, '60000'],
    ] as const) {
      expect((await reader.query(ask)).map((row) => row['setting'])).toStrictEqual([
        '1000',
        '"app"',
        timeout,
        'on',
      ])
    }
    await rogue.end()
  })

  test('reading leaves neither a transaction nor a setting', async () => {
    await gate.interactive.query(statement('select * from a2_events'))
    const rows = await administer<{ state: string; xmin: string | null }>(
      admin,
      `select state, backend_xmin as xmin from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    expect(rows).not.toHaveLength(0)
    for (const row of rows) expect(row).toStrictEqual({ state: 'idle', xmin: null })
  })

  test('a reader cannot write, and goes on after an error', async () => {
    const write = statement(`insert into a2_events values ('s', 1)`)
    expect(await troubleOf(gate.interactive.query(write))).toMatchObject({
      kind: 'read-only-server',
      code: '25006',
    })
    const both = statement(`commit; insert into app.a2_events values ('s', 1)`)
    expect(await troubleOf(gate.interactive.query(both))).toMatchObject({ code: '42601' })
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(await gate.interactive.query(statement('select * from a2_events'))).toStrictEqual([])
  })

  test('reads one after the other and at the same time', async () => {
    const calls = Array.from({ length: 30 }, (_, at) =>
      (at % 3 === 0 ? gate.background : gate.interactive).query({
        sql: 'select $1::int as at',
        params: [at],
      }),
    )
    expect(await Promise.all(calls)).toStrictEqual(Array.from({ length: 30 }, (_, at) => [{ at }]))
  })

  test('a long read is stopped on the server', async () => {
    const long = troubleOf(gate.background.query(statement('select pg_sleep(50)')))
    const sleeping = () =>
      administer(
        admin,
        `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(50)'`,
      )
    await until(async () => (await sleeping()).length === 1)
    expect(await gate.background.cancel()).toBe(true)
    expect(await long).toMatchObject({ kind: 'cancelled' })
    expect(await sleeping()).toStrictEqual([])
    expect(await gate.background.query(ONE)).toStrictEqual([{ one: 1 }])
  })

  test('writing works when it is unlocked', async () => {
    const write = () =>
      gate.write((connection) =>
        connection.transaction(async (tx) => {
          const [rows = []] = await tx.send(
            statement(`insert into a2_events values ('s', 1) returning idx`),
          )
          return rows
        }),
      )
    expect((await storeTroubleOf(write())).trouble.kind).toBe('writing-locked')
    expect(await gate.unlock()).toMatchObject({ outcome: 'unlocked' })
    expect(await write()).toStrictEqual([{ idx: 1 }])
    await gate.lock()
    const count = { sql: 'select count(*) as n from a2_events', params: [] }
    expect(await gate.interactive.query(count)).toStrictEqual([{ n: 1 }])
  })

  test('a restart of the server behind it', async () => {
    await server.restart()
    const answer = gate.interactive.query(ONE, { deadlineMs: 40_000 })
    expect(await answer).toStrictEqual([{ one: 1 }])
  })
})
