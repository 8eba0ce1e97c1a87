import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { failureOf, FIXTURE_NOW, openDatabase, until } from '../inspector/support/open.ts'
import { type Proxy, startProxy } from '../postgres-connect/support/proxy.ts'
import { copyToPostgres, dump, gateTo } from './support/database.ts'

const DEAD = { sessionId: 'order:ord_2026_000918', index: 1 }
const CLEAR = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }

async function openThroughProxy() {
  const schema = await copyToPostgres('small.db')
  const proxy = await startProxy(Number(new URL(schema.server.connectionString).port))
  onTestFinished(() => proxy.close())
  const gate = await gateTo(schema, { port: proxy.port })
  const { client, dataFolder } = openDatabase({ postgres: gate }, { now: FIXTURE_NOW })
  await client.writing.unlock()
  const outcomes = (): unknown[] =>
    readFileSync(join(dataFolder, 'audit.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { outcome: unknown }).outcome)
  return { client, proxy, app: await schema.connect(), outcomes }
}

/** Cuts all connections with the commit: before it reaches the server, or after, so that only its answer is lost. */
function cutAtCommit(proxy: Proxy, when: 'before' | 'after'): void {
  proxy.onceSent('commit\0', () => {
    if (when === 'before') return proxy.cut()
    proxy.isDeaf = true
    setTimeout(() => {
      proxy.cut()
      proxy.isDeaf = false
    }, 300)
  })
}

const GUARDS = {
  'of what was seen': CLEAR,
  'of all there is': {
    sessionId: 'scheduler:daily',
    ifClearIndex: 0,
    lastSeen: 4,
    createClearsTable: false,
  },
} as const

const CASES = [
  { when: 'before', outcome: 'refused', reason: 'connection-lost' },
  { when: 'after', outcome: 'done', reason: undefined },
] as const

describe.each(CASES)('a connection lost $when the commit arrived', ({ when, outcome, reason }) => {
  it.each(['of what was seen', 'of all there is'] as const)(
    'is looked up after a clear %s',
    async (which) => {
      const wanted = GUARDS[which]
      const { client, proxy, app, outcomes } = await openThroughProxy()
      cutAtCommit(proxy, when)
      expect(await client.actions.clear(wanted)).toMatchObject({
        outcome,
        ...(reason === undefined ? {} : { reason }),
      })
      const { rows } = await app.query(
        "select idx from a2_events where session_id = 'scheduler:daily' and idx > 4",
      )
      expect(rows).toHaveLength(outcome === 'done' ? 1 : 0)
      expect(outcomes()).toEqual([null, outcome])
      // Asked for again, it happens once.
      const again = await client.actions.clear(wanted)
      const twice = which === 'of all there is' ? 'refused' : 'already-done'
      expect(again.outcome).toBe(outcome === 'done' ? twice : 'done')
    },
  )

  it.each(['retry', 'skip'] as const)('is looked up after a %s', async (action) => {
    const { client, proxy, outcomes } = await openThroughProxy()
    cutAtCommit(proxy, when)
    expect(await client.actions.redrive({ ...DEAD, action })).toMatchObject({ outcome })
    expect((await client.events.get(DEAD)).state === 'dead').toBe(outcome === 'refused')
    expect(outcomes()).toEqual([null, outcome])
  })
})

it('a connection lost before the commit was sent: nothing was changed, and that is said', async () => {
  const { client, proxy, app, outcomes } = await openThroughProxy()
  const before = await dump(app)
  proxy.onceSent('begin', () => proxy.cut())
  expect(await client.actions.clear(CLEAR)).toMatchObject({
    outcome: 'refused',
    reason: 'connection-lost',
  })
  expect(outcomes()).toEqual([null, 'refused'])
  expect(await dump(app)).toBe(before)
})

it('a connection that does not come back leaves the outcome unknown, on record too', async () => {
  const { client, proxy, app, outcomes } = await openThroughProxy()
  const before = await dump(app)
  proxy.onceSent('commit\0', () => {
    void proxy.refuse()
    proxy.cut()
  })
  const { code } = await failureOf(client.actions.clear(CLEAR))
  expect(code).toBe('DATABASE_TROUBLE')
  expect(outcomes()).toEqual([null, 'unknown'])
  expect(await dump(app)).toBe(before)
  await proxy.listen()
  await until(async () => {
    const facts = await client.facts().catch(() => null)
    return facts
  }, 'the connection back')
}, 60_000)
