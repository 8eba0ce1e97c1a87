import { createRouterClient } from '@orpc/server'
import Database from 'better-sqlite3'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

import { openFileBackground } from '../../src/host/file-background.ts'
import { openInspector } from '../../src/inspector/open-inspector.ts'
import { toRequest } from '../inspector/support/search.ts'
import { backgroundsOf, isBusy, isRunning } from './children.ts'
import { makeTempFolder } from './temp-folder.ts'

vi.setConfig({ testTimeout: 30_000 })
const WAIT = { timeout: 15_000, interval: 50 }

function setUp() {
  const folder = makeTempFolder()
  const path = join(folder, 'small.db')
  copyFileSync(join(import.meta.dirname, '..', 'fixtures', 'small.db'), path)
  const app = new Database(path)
  // Then an id is looked for in the whole table, by the other process.
  app.exec('drop index a2_events_event_id')
  app.close()
  const background = openFileBackground(path)
  const inspector = openInspector({ path, dataFolder: folder, remote: background.scans })
  onTestFinished(async () => {
    await inspector.close()
    await background.close()
  })
  return {
    path,
    background,
    client: createRouterClient(inspector.router),
    long: createRouterClient(background.router),
  }
}

/** The one process of the one background that is open. */
async function pidOf(): Promise<number> {
  return vi.waitFor(() => {
    const [pid, ...others] = backgroundsOf(process.pid)
    expect(others).toStrictEqual([])
    expect(pid).toBeDefined()
    return pid ?? 0
  }, WAIT)
}

const TICKET = toRequest({ text: 'ticket', scope: 'everything' })

async function hitsOf(messages: AsyncIterable<{ readonly kind: string }>): Promise<number> {
  let hits = 0
  for await (const message of messages) {
    if ('hits' in message && Array.isArray(message.hits)) hits += message.hits.length
  }
  return hits
}

/** Rejects later, when somebody looks. */
function readAll(
  messages: Promise<AsyncIterable<{ readonly kind: string }>> | AsyncIterable<{ kind: string }>,
): Promise<number> {
  const read = (async () => hitsOf(await messages))()
  read.catch(() => undefined)
  return read
}

test('one that is killed is there again, and goes on where the other was', async () => {
  const { client, long } = setUp()
  expect(await hitsOf(await long.search(TICKET))).toBeGreaterThan(0)
  const [first] = [await pidOf()]
  process.kill(first, 'SIGKILL')
  // What is asked of a database without an index of ids goes there, and nowhere else.
  const place = await client.events.locate({ eventId: 'nowhere' })
  expect(place).toBeNull()
  expect(await pidOf()).not.toBe(first)
  expect(await hitsOf(await long.search(TICKET))).toBeGreaterThan(0)
})

/** A payload and a text that is compared with it again and again: one statement of minutes. */
function addEndless(path: string): void {
  const app = new Database(path)
  app
    .prepare(
      `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
       values ('endless', 1, 'noise', ?, 'endless', 1)`,
    )
    .run(`"${'a'.repeat(40_000_000)}"`)
  app.close()
}
const ENDLESS = toRequest({ text: `${'a'.repeat(4000)}b`, sessionId: 'endless' })

test('a search that does not let itself be stopped ends with its process', async () => {
  const { path, client, long } = setUp()
  addEndless(path)
  const tickets = await hitsOf(await long.search(TICKET))
  expect(tickets).toBeGreaterThan(0)
  const first = await pidOf()
  const stop = new AbortController()
  const stuck = readAll(await long.search(ENDLESS, { signal: stop.signal }))
  await vi.waitFor(() => expect(isBusy(first)).toBe(true), WAIT)
  // Asked while it is stuck: by somebody else's search, and by a screen.
  const other = readAll(long.search(TICKET))
  const located = client.events.locate({ eventId: 'nowhere' })
  expect(await client.events.range({ sessionId: 'chat:demo', from: 1, to: 20 })).toHaveLength(1)
  stop.abort()

  await expect(stuck).rejects.toMatchObject({ name: 'AbortError' })
  // One that was not heard yet is asked of the next process; one that had begun says why it ended.
  const outcome: unknown = await other.catch(({ data }: { data: unknown }) => data)
  expect([tickets, { kind: 'process-ended', path, code: null }]).toContainEqual(outcome)
  expect(await located).toBeNull()
  expect(isRunning(first)).toBe(false)
  expect(await pidOf()).not.toBe(first)
  expect(await hitsOf(await long.search(TICKET))).toBeGreaterThan(0)
})

test('a search that is given up between two slices costs nobody anything', async () => {
  const { long } = setUp()
  for await (const message of await long.search(TICKET)) if (message.kind === 'step') break
  const first = await pidOf()
  expect(await hitsOf(await long.search(TICKET))).toBeGreaterThan(0)
  expect(await pidOf()).toBe(first)
})
