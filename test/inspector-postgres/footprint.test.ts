import { Client as PgClient } from 'pg'
import { expect, it, onTestFinished } from 'vitest'

import type { PostgresFootprint } from '../../src/model/footprint.ts'
import { listen } from '../inspector/support/listen.ts'
import { type Client, openDatabase, until } from '../inspector/support/open.ts'
import { copyToPostgres, gateTo, makeRole } from './support/database.ts'

async function footprintOf(client: Client): Promise<PostgresFootprint> {
  const found = await client.footprint()
  if (found.dialect !== 'postgres') throw new Error('it is a server')
  return found
}

/** As a role of its own, so that what other tests leave open is not counted. */
async function openCopy() {
  const schema = await copyToPostgres('small.db')
  const app = await schema.connect()
  const user = await makeRole(schema, app, 'select, insert, update, delete')
  const gate = await gateTo(schema, { user })
  /** Connections of this program, by what the server says. */
  const countConnections = async (): Promise<number> => {
    const { rows } = await app.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where application_name = 'a2-inspector' and usename = $1`,
      [user],
    )
    return rows[0]?.count ?? -1
  }
  const { client } = openDatabase({ postgres: gate })
  return { schema, user, gate, client, countConnections }
}

it('says which connections are open, and that nothing is held', async () => {
  const { client, countConnections } = await openCopy()
  const first = await footprintOf(client)
  expect(first).toMatchObject({ connections: 1, rowsRead: 0, lastQuery: null, refreshMs: null })
  expect(await countConnections()).toBe(1)
  const looked = await until(async () => {
    const found = await footprintOf(client)
    return found.holdings === null ? null : found
  }, 'the locks looked at')
  expect(looked.holdings).toEqual({
    locks: 0,
    oldestTransactionMs: null,
    at: expect.any(Number),
  })
  // The look is not a screen's.
  expect(looked.lastQuery).toBeNull()
  await client.events.range({ sessionId: 'scheduler:daily', from: 1, to: 500 })
  expect((await footprintOf(client)).lastQuery?.tookMs).toBeGreaterThan(0)
  await client.writing.unlock()
  const writing = await footprintOf(client)
  expect(writing.connections).toBe(await countConnections())
  expect(writing.connections).toBeGreaterThanOrEqual(2)
  await client.writing.lock()
  await until(
    async () => (await footprintOf(client)).connections === (await countConnections()),
    'the writing connection gone from both counts',
  )
})

it('asks the server once in a while, however often it is asked itself', async () => {
  const { gate, countConnections } = await openCopy()
  const asked: string[] = []
  const { client } = openDatabase({
    postgres: {
      ...gate,
      interactive: {
        query: (statement) => {
          asked.push(statement.sql)
          return gate.interactive.query(statement)
        },
      },
    },
  })
  for (let n = 0; n < 50; n += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await footprintOf(client)
  }
  await until(async () => (await footprintOf(client)).holdings !== null, 'looked')
  expect(asked.filter((sql) => sql.includes('pg_locks'))).toHaveLength(1)
  expect(await countConnections()).toBe(1)
})

it('tells of locks and of a transaction that a connection of this program holds', async () => {
  const { schema, user, client } = await openCopy()
  const url = new URL(schema.server.connectionString)
  url.username = user
  const other = new PgClient({ connectionString: url.href, application_name: 'a2-inspector' })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('begin isolation level repeatable read')
  await other.query(`select count(*) from ${schema.name}.a2_events`)
  const { holdings } = await until(async () => {
    const found = await footprintOf(client)
    return found.holdings === null ? null : found
  }, 'looked')
  // The table and its indexes, and the transaction's own.
  expect(holdings?.locks).toBeGreaterThanOrEqual(2)
  expect(holdings?.oldestTransactionMs).toBeGreaterThanOrEqual(0)
})

it('does not connect by itself, and forgets what was held once the server is away', async () => {
  const { gate, client } = await openCopy()
  await until(async () => (await footprintOf(client)).holdings !== null, 'looked')
  await listen(client)
  expect((await footprintOf(client)).refreshMs).not.toBeNull()
  await gate.close()
  expect(await footprintOf(client)).toMatchObject({
    connections: 0,
    holdings: null,
    refreshMs: null,
  })
})

it('says how often the server is asked, by the way to it', async () => {
  const { client } = await openCopy()
  const { stop } = await listen(client, false)
  expect((await footprintOf(client)).refreshMs).toBeGreaterThanOrEqual(1000)
  await listen(client, true)
  const { refreshMs } = await footprintOf(client)
  expect(refreshMs).toBeGreaterThanOrEqual(50)
  expect(refreshMs).toBeLessThanOrEqual(250)
  await stop()
})
