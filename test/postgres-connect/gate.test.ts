import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, targetOf } from './support/connect.ts'

let server: PostgresServer
let url: string
let gate: PostgresGate

beforeAll(async () => {
  server = await startPostgres(findBinaries()[0]!, { isDurable: false })
  url = server.connectionString
  await administer(
    url,
    'create schema "My App"',
    'create table "My App".a2_events (session_id text, idx bigint, payload jsonb)',
    'create sequence "My App".counter',
    `insert into "My App".a2_events values ('s', 1, '{"n": 1e400}')`,
  )
})
afterAll(() => server.stop())
beforeEach(async () => {
  gate = await openGate(await targetOf(`${url}?schema=My%20App`))
})
afterEach(() => gate.close())

interface Activity {
  readonly pid: number
  readonly state: string
  readonly xmin: string | null
}

function ours(): Promise<Activity[]> {
  return administer<Activity>(
    url,
    `select pid, state, backend_xmin::text as xmin from pg_stat_activity
      where application_name = 'a2-inspector' order by backend_start`,
  )
}

const one = (sql: string, ...params: unknown[]) => ({ sql, params })

test('the settings are in force before the first statement', async () => {
  const names = [
    'default_transaction_read_only',
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
    'search_path',
    'application_name',
    'client_encoding',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_keepalives_count',
  ]
  const ask = one(
    'select name, setting from pg_settings where name = any($1) order by name collate "C"',
    names,
  )
  const shared = {
    application_name: 'a2-inspector',
    client_encoding: 'UTF8',
    default_transaction_read_only: 'on',
    idle_in_transaction_session_timeout: '10000',
    lock_timeout: '1000',
    search_path: '"My App"',
    tcp_keepalives_idle: '15',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
  }
  const toObject = (rows: readonly Record<string, unknown>[]) =>
    Object.fromEntries(rows.map((row) => [row['name'], row['setting']]))
  expect(toObject(await gate.interactive.query(ask))).toStrictEqual({
    ...shared,
    statement_timeout: '5000',
  })
  expect(toObject(await gate.background.query(ask))).toStrictEqual({
    ...shared,
    statement_timeout: '60000',
  })
})

test('values keep every digit', async () => {
  const [row] = await gate.interactive.query(
    one(
      `select payload, 9007199254740993 as big, 7::bigint as small, true as yes, 0.10 as exact
         from a2_events`,
    ),
  )
  expect(row).toStrictEqual({
    payload: `{"n": 1${'0'.repeat(400)}}`,
    big: '9007199254740993',
    small: 7,
    yes: true,
    exact: '0.10',
  })
})

test('after reading, nothing is held', async () => {
  await Promise.all([
    gate.interactive.query(one('select * from a2_events')),
    gate.background.query(one('select * from a2_events')),
  ])
  const activity = await ours()
  expect(activity).toHaveLength(2)
  for (const { state, xmin } of activity) expect([state, xmin]).toStrictEqual(['idle', null])
})

test.each([
  "insert into a2_events values ('t', 1, null)",
  'delete from a2_events',
  'create temp table t (a int)',
  'truncate a2_events',
  "select nextval('counter')",
  'select * from a2_events for update',
])('a reader cannot %s', async (sql) => {
  await expect(gate.interactive.query(one(sql))).rejects.toMatchObject({
    name: 'StoreTrouble',
    trouble: { kind: 'read-only-server', code: '25006' },
  })
})

test('several statements in one text are refused', async () => {
  await expect(
    gate.interactive.query(one('set default_transaction_read_only = off; delete from a2_events')),
  ).rejects.toMatchObject({ trouble: { kind: 'incompatible', code: '42601' } })
})
