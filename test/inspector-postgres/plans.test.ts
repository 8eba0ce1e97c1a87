import type { Client as PgClient } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'

import type { PostgresServer } from '../../src/inspector/postgres/server.ts'
import type { Statement } from '../../src/store/postgres/connection.ts'
import { type Client, openDatabase, viewAll } from '../inspector/support/open.ts'
import { listen } from '../inspector/support/listen.ts'
import { search } from '../inspector/support/search.ts'
import { gateTo, keepSchema, servers, type TestSchema } from './support/database.ts'
import { fillEvents } from './support/many-events.ts'

const EVENTS = 300_000
/** Of about 20,000 blocks of the table and its primary key. */
const MAX_BLOCKS = 3000
/** A few steps down the primary key each. */
const MAX_BLOCKS_A_KEY = 16

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Recheck Cond'?: string
  readonly 'Index Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** Scans of a2_events that may read all of it. */
function wideScans(plan: Plan, isLimited = false): string[] {
  const below = isLimited || plan['Node Type'] === 'Limit'
  const own: string[] = []
  if (plan['Relation Name'] === 'a2_events') {
    const type = plan['Node Type']
    const hasCondition = plan['Index Cond'] !== undefined || plan['Recheck Cond'] !== undefined
    const isBounded = type.startsWith('Tid') || hasCondition || below
    const isIndex = type.startsWith('Index') || type.startsWith('Bitmap') || type.startsWith('Tid')
    if (!isIndex || !isBounded) own.push(`${type} ${plan['Index Name'] ?? ''}`)
  }
  return [...own, ...(plan.Plans ?? []).flatMap((one) => wideScans(one, below))]
}

/** How many sessions or events a statement was asked for. */
function keysOf({ params }: Statement): number {
  const counts = params.map((value) =>
    Array.isArray(value) ? value.length : typeof value === 'number' ? Math.min(value, 1000) : 0,
  )
  return Math.max(0, ...counts)
}

async function explain(client: PgClient, { sql, params }: Statement): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
    text: `explain (analyze, buffers, timing off, format json) ${sql}`,
    values: [...params],
  })
  return rows[0]!['QUERY PLAN'][0].Plan
}

/** The same server, with everything that is asked of it written down. */
function recording(server: PostgresServer, asked: Statement[]): PostgresServer {
  const recorded = (role: 'interactive' | 'background') => ({
    query: (statement: Statement) => {
      asked.push(statement)
      return server[role].query(statement)
    },
  })
  return { ...server, interactive: recorded('interactive'), background: recorded('background') }
}

/** Every screen once, on the largest session, a cleared one and a small one. */
async function openEveryScreen(client: Client): Promise<void> {
  const live = await listen(client)
  await client.facts()
  const view = await viewAll(client)
  await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
  await client.sessions.find({ text: 's-0001', limit: 20 })
  const sessions = ['big', 's-000010', 's-000011']
  for (const sessionId of sessions) {
    /* oxlint-disable no-await-in-loop -- as a person would */
    const { summary } = await client.sessions.get({ sessionId })
    for (const from of [1, Math.ceil(summary.head / 2), Math.max(1, summary.head - 99)]) {
      await client.events.range({ sessionId, from, to: from + 99 })
    }
    await client.events.get({ sessionId, index: 50 })
    await client.events.get({ sessionId, index: Math.max(2, summary.head - 10) })
    await client.events.payload({ sessionId, index: 50, offsetBytes: 0 })
    await client.snapshots.list({ sessionId })
    await client.actions.previewClear({ sessionId })
    await client.actions.previewReclaim({ sessionId })
    await client.actions.previewRedrive({ sessionId, index: 50, action: 'skip' })
    /* oxlint-enable no-await-in-loop */
  }
  await client.events.locate({ eventId: 'e77777' })
  const dead = await client.deadLetters.view({ text: '' })
  expect(dead.total).toBeGreaterThan(EVENTS / 400)
  await client.deadLetters.rows({ viewId: dead.viewId, offset: 0, limit: 200 })
  await client.presence()
  await live.hear('counts')
}

describe(`plans on ${EVENTS} events`, () => {
  const schemas = new Map<string, TestSchema>()
  beforeAll(async () => {
    for (const server of servers) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is fast enough
      const schema = await keepSchema(server)
      // oxlint-disable-next-line no-await-in-loop
      await schema.use((client) =>
        fillEvents(client, { events: EVENTS, sessions: 3000, big: EVENTS / 3 }),
      )
      schemas.set(server.name, schema)
    }
  }, 120_000)

  const cases = servers.flatMap(({ name }) => [
    { name, indexes: 'its own indexes' },
    { name, indexes: 'the primary key alone' },
  ])
  it.each(cases)(
    '$name with $indexes: no screen reads the whole table',
    async ({ name, indexes }) => {
      const schema = schemas.get(name)!
      const other = await schema.connect()
      if (indexes === 'the primary key alone') {
        await other.query(
          'drop index a2_events_pending; drop index a2_events_lane; drop index a2_events_event_id',
        )
      }
      const asked: Statement[] = []
      const postgres = recording(await gateTo(schema), asked)
      const { client, background } = openDatabase({ postgres })
      await openEveryScreen(client)
      // A few slices of each way to search.
      const isEnough = (): boolean => true
      await search(background, { text: 'no such text', scope: 'everything' }, isEnough)
      await search(background, { text: 'thing', eventType: 'thing.*' }, isEnough)
      const found = await search(background, { text: '"n": 9', sessionId: 'big' }, isEnough)
      expect(found.hits.length).toBeGreaterThan(0)
      const wide: string[] = []
      for (const statement of asked) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        const plan = await explain(other, statement)
        const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        const scans = wideScans(plan)
        if (scans.length > 0) wide.push(`${scans.join(', ')} in: ${statement.sql}`)
        if (blocks > MAX_BLOCKS + MAX_BLOCKS_A_KEY * keysOf(statement)) {
          wide.push(
            `${blocks} blocks: ${statement.sql} ${JSON.stringify(statement.params).slice(0, 200)}`,
          )
        }
      }
      expect(asked.length).toBeGreaterThan(40)
      expect(wide).toEqual([])
    },
    120_000,
  )
})
