import { expect, it, onTestFinished } from 'vitest'

import type { PostgresServer } from '../../src/inspector/postgres/server.ts'
import { openDatabase } from '../inspector/support/open.ts'
import { listen } from '../inspector/support/listen.ts'
import { startProxy } from '../postgres-connect/support/proxy.ts'
import { copyToPostgres, gateTo } from './support/database.ts'
import { insertRows } from './support/rows.ts'

/** On a way of 100 ms every question is felt: what a first screen asks before it can show something is counted. */
async function openSlowly() {
  const schema = await copyToPostgres('small.db')
  const proxy = await startProxy(Number(new URL(schema.server.connectionString).port))
  onTestFinished(() => proxy.close())
  const gate = await gateTo(schema, { port: proxy.port })
  proxy.delayMs = 100
  const asked: string[] = []
  const interactive: PostgresServer['interactive'] = {
    query: (statement) => {
      asked.push(statement.sql)
      return gate.interactive.query(statement)
    },
  }
  const { client } = openDatabase({ postgres: { ...gate, interactive } })
  return { client, asked, schema }
}

it('shows the first list of sessions after a few questions', async () => {
  const { client, asked } = await openSlowly()
  const view = await client.sessions.view({
    sort: 'activity',
    direction: 'desc',
    text: '',
    chips: [],
  })
  expect(view.total).toBe(8)
  // Tables, marker type, signs of change, sessions of the newest blocks, their values.
  expect(asked.length).toBeLessThanOrEqual(5)
  await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 50 })
  expect(asked.length).toBeLessThanOrEqual(6)
})

it('asks for changes less often, and still tells of them', async () => {
  const { client, schema } = await openSlowly()
  const { hear } = await listen(client)
  await hear('counts')
  const facts = await client.facts()
  expect(facts.dialect === 'postgres' && facts.pollMs).toBe(250)
  await insertRows(await schema.connect(), [{ session: 'far', index: 1 }])
  expect((await hear('events')).events).toEqual([
    { sessionId: 'far', index: 1, type: 'thing.happened' },
  ])
})
