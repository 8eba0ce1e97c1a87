import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'

import { openForeignPostgres } from '../../src/store/postgres/foreign.ts'
import { failureOf, FIXTURE_NOW, openDatabase, viewAll } from '../inspector/support/open.ts'
import {
  copyToPostgres,
  dump,
  gateTo,
  makeRole,
  makeSchema,
  type TestSchema,
} from './support/database.ts'
import { insertRows } from './support/rows.ts'

async function all<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const step of steps) found.push(step)
  return found
}

const DEAD = { sessionId: 'order:ord_2026_000918', index: 1 }

async function openSchema(schema: TestSchema, options: { user?: string } = {}) {
  const gate = await gateTo(schema, options)
  const opened = openDatabase({ postgres: gate }, { now: FIXTURE_NOW })
  return { ...opened, gate, schema, app: await schema.connect() }
}

async function openUnlocked(schema?: TestSchema) {
  const opened = await openSchema(schema ?? (await copyToPostgres('small.db')))
  await opened.client.writing.unlock()
  return opened
}

function auditOf(dataFolder: string): Record<string, unknown>[] {
  return readFileSync(join(dataFolder, 'audit.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the switch on Postgres', () => {
  it('opens another connection while it is on, and closes it when it is off', async () => {
    const { client, app, gate } = await openSchema(await copyToPostgres('small.db'))
    const before = await dump(app)
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect((await failureOf(client.actions.clear(wanted))).code).toBe('WRITING_LOCKED')
    expect(await client.writing.unlock()).toMatchObject({ isUnlocked: true })
    expect(gate.unlockedUntil()).toBeGreaterThan(Date.now())
    expect(await client.writing.lock()).toMatchObject({ isUnlocked: false })
    expect((await failureOf(client.actions.clear(wanted))).code).toBe('WRITING_LOCKED')
    expect(await dump(app)).toBe(before)
  })

  it('stays off for a role without the right, which is said', async () => {
    const schema = await copyToPostgres('small.db')
    const app = await schema.connect()
    const { client } = await openSchema(schema, { user: await makeRole(schema, app, 'select') })
    expect(await client.facts()).toMatchObject({ canWrite: false })
    expect(await failureOf(client.writing.unlock())).toMatchObject({
      code: 'DATABASE_TROUBLE',
      data: { kind: 'no-right' },
    })
    const redrive = client.actions.redrive({ ...DEAD, action: 'retry' })
    expect((await failureOf(redrive)).code).toBe('WRITING_LOCKED')
  })

  it('refuses what the server refuses after all', async () => {
    const schema = await copyToPostgres('small.db')
    const app = await schema.connect()
    const role = await makeRole(schema, app, 'select, insert, update, delete')
    const { client } = await openSchema(schema, { user: role })
    await client.writing.unlock()
    await app.query(`revoke update on a2_events from ${role}`)
    const before = await dump(app)
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'refused',
      reason: 'read-only',
    })
    expect(await dump(app)).toBe(before)
  })
})

describe('clear on Postgres', () => {
  it('appends one marker, by the clock of the database, and says so when it is asked for again', async () => {
    const { client, app, dataFolder, gate } = await openUnlocked()
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toEqual({
      outcome: 'done',
      detail: 'Cleared: the marker is #5.',
    })
    const { rows } = await app.query<{ row: unknown }>(
      `select to_jsonb(e) - 'event_id' as row from a2_events e
        where session_id = 'scheduler:daily' and idx = 5`,
    )
    expect(rows[0]?.row).toMatchObject({
      event_type: 'a2.session.cleared',
      payload: null,
      created_at: FIXTURE_NOW,
      processed_at: FIXTURE_NOW,
      attempt_count: 0,
      cause: null,
      lane: null,
    })
    const after = await dump(app)
    expect(await client.actions.clear(wanted)).toMatchObject({ outcome: 'already-done' })
    expect(await dump(app)).toBe(after)
    expect(auditOf(dataFolder)).toMatchObject([
      { phase: 'intent', action: 'clear', guard: { ifLastIndex: 4 }, database: gate.path },
      { phase: 'outcome', outcome: 'done' },
      { phase: 'intent', outcome: null },
      { phase: 'outcome', outcome: 'already-done' },
    ])
  })

  it('clears what nobody has seen when that is asked for, and no other lifetime', async () => {
    const { client, app } = await openUnlocked()
    const sessionId = 'scheduler:daily'
    await insertRows(app, [{ session: sessionId, index: 5 }])
    const wanted = { sessionId, ifClearIndex: 0, lastSeen: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toEqual({
      outcome: 'done',
      detail: 'Cleared: the marker is #6. 1 event that came meanwhile is cleared too: #5.',
    })
    await insertRows(app, [{ session: sessionId, index: 7 }])
    const before = await dump(app)
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'cleared-meanwhile',
    })
    expect(await dump(app)).toBe(before)
  })

  it('refuses when the session moved on, and changes nothing', async () => {
    const { client, app } = await openUnlocked()
    await insertRows(app, [{ session: 'scheduler:daily', index: 5 }])
    const before = await dump(app)
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'moved-on',
    })
    expect(await dump(app)).toBe(before)
  })

  it('happens once when two ask for it at the same moment', async () => {
    const schema = await copyToPostgres('small.db')
    const [one, two] = [await openUnlocked(schema), await openUnlocked(schema)]
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    const outcomes = await Promise.all([
      one.client.actions.clear(wanted),
      two.client.actions.clear(wanted),
    ])
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['already-done', 'done'])
  })

  it('is refused as busy while another holds the session for longer than a second', async () => {
    const { client, app, schema } = await openUnlocked()
    const before = await dump(app)
    const holder = await schema.connect()
    await holder.query("begin; select pg_advisory_xact_lock(hashtext('scheduler:daily'))")
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({ outcome: 'refused', reason: 'busy' })
    expect(await dump(app)).toBe(before)
    await holder.query('rollback')
    expect(await client.actions.clear(wanted)).toMatchObject({ outcome: 'done' })
  })

  it('asks before it creates the table 0.16 lacks', async () => {
    const { client, app } = await openUnlocked(await copyToPostgres('legacy-016.db'))
    expect(await client.actions.previewClear({ sessionId: 'chat:demo' })).toMatchObject({
      needsClearsTable: true,
    })
    const before = await dump(app)
    const wanted = { sessionId: 'chat:demo', ifLastIndex: 12, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'needs-clears-table',
    })
    expect(await dump(app)).toBe(before)
    expect(await client.actions.clear({ ...wanted, createClearsTable: true })).toMatchObject({
      outcome: 'done',
    })
    expect(await client.sessions.get({ sessionId: 'chat:demo' })).toMatchObject({
      summary: { clearIndex: 13 },
    })
    expect(await client.facts()).toMatchObject({ schema: '0.18', isMarkerTypeLearned: true })
  })

  it('uses the marker type of the database', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await insertRows(app, [
      { session: 'old', index: 1 },
      { session: 'old', index: 2, type: 'my.clear', payload: 'null' },
      { session: 'new', index: 1 },
    ])
    await app.query("insert into a2_clears values ('old', 2)")
    const { client } = await openUnlocked(schema)
    await client.actions.clear({ sessionId: 'new', ifLastIndex: 1, createClearsTable: false })
    const [, marker] = await client.events.range({ sessionId: 'new', from: 1, to: 2 })
    expect(marker).toMatchObject({
      index: 2,
      type: 'my.clear',
      state: 'marker',
      payloadStart: 'null',
    })
  })
})

describe('retry and skip on Postgres', () => {
  it('make a dead letter ready, and its lane go on', async () => {
    const { client } = await openUnlocked()
    await viewAll(client)
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'done',
    })
    expect(await client.events.get(DEAD)).toMatchObject({ state: 'ready', failedAt: null })
    expect((await client.deadLetters.view({ text: '' })).total).toBe(0)
  })

  it('skips, and promotes the next of the lane', async () => {
    const { client } = await openUnlocked()
    expect(await client.actions.redrive({ ...DEAD, action: 'skip' })).toMatchObject({
      outcome: 'done',
    })
    const rows = await client.events.range({ sessionId: DEAD.sessionId, from: 1, to: 2 })
    expect(rows.map(({ state }) => state)).toEqual(['skipped', 'ready'])
    expect(rows[0]?.processedAt).toBe(FIXTURE_NOW)
  })

  const MEANWHILE = {
    'a worker finished it': {
      sql: 'update a2_events set failed_at = null, processed_at = 99 where idx = 1 and session_id = $1',
      retry: 'finished-meanwhile',
      skip: 'finished-meanwhile',
    },
    'it was skipped': {
      sql: 'update a2_events set processed_at = 99, failed_at = 5 where idx = 1 and session_id = $1',
      retry: 'finished-meanwhile',
      skip: 'already-done',
    },
    'it was retried': {
      sql: 'update a2_events set failed_at = null where idx = 1 and session_id = $1',
      retry: 'already-done',
      skip: 'no-longer-dead',
    },
    'the session was cleared': {
      sql: 'insert into a2_clears values ($1, 7)',
      retry: 'cleared-meanwhile',
      skip: 'cleared-meanwhile',
    },
    'it is gone': {
      sql: 'delete from a2_events where idx = 1 and session_id = $1',
      retry: 'gone',
      skip: 'gone',
    },
  } as const
  const cases = Object.entries(MEANWHILE).flatMap(([what, { sql, ...expected }]) =>
    (['retry', 'skip'] as const).map((action) => ({
      what,
      sql,
      action,
      expected: expected[action],
    })),
  )

  it.each(cases)('$action: meanwhile $what', async ({ sql, action, expected }) => {
    const { client, app } = await openUnlocked()
    await app.query(sql, [DEAD.sessionId])
    const before = await dump(app)
    const outcome = await client.actions.redrive({ ...DEAD, action })
    expect(outcome.outcome === 'refused' ? outcome.reason : outcome.outcome).toBe(expected)
    expect(await dump(app)).toBe(before)
  })
})

describe('reclaim on Postgres', () => {
  async function openCleared(events: number) {
    const schema = await makeSchema()
    const app = await schema.connect()
    const rows = Array.from({ length: events }, (_, n) => ({ session: 'c', index: n + 1 }))
    const marker = { session: 'c', index: events + 1, type: 'a2.session.cleared', payload: 'null' }
    await insertRows(app, [...rows, marker])
    await app.query(`insert into a2_clears values ('c', ${events + 1})`)
    return openUnlocked(schema)
  }

  it('deletes in batches, says how far it is, and keeps the marker', async () => {
    const { client } = await openCleared(600)
    const steps: unknown[] = []
    for await (const step of await client.actions.reclaim({ sessionId: 'c', clearIndex: 601 }))
      steps.push(step)
    expect(steps).toEqual([
      { deleted: 256, total: 600, status: 'running', detail: null },
      { deleted: 512, total: 600, status: 'running', detail: null },
      { deleted: 600, total: 600, status: 'running', detail: null },
      { deleted: 600, total: 600, status: 'running', detail: null },
      { deleted: 600, total: 600, status: 'done', detail: '600 cleared events are gone for good.' },
    ])
    const { summary } = await client.sessions.get({ sessionId: 'c' })
    expect(summary).toMatchObject({ firstIndex: 601, head: 601, toReclaim: { count: 0 } })
  })

  it('deletes nothing more once the session was cleared again', async () => {
    const { client, app } = await openCleared(10)
    await insertRows(app, [{ session: 'c', index: 12 }])
    await app.query("update a2_clears set clear_index = 12 where session_id = 'c'")
    const before = await dump(app)
    const steps = await client.actions.reclaim({ sessionId: 'c', clearIndex: 11 })
    const last = (await all(steps)).at(-1)
    expect(last).toMatchObject({ status: 'failed', deleted: 0 })
    expect(await dump(app)).toBe(before)
  })

  it('waits a moment for rows that others hold, without spinning', async () => {
    const { client, schema } = await openCleared(10)
    const holder = await schema.connect()
    await holder.query("begin; select from a2_events where session_id = 'c' and idx = 3 for update")
    const steps: { deleted: number; status: string }[] = []
    const ended = (async () => {
      for await (const step of await client.actions.reclaim({ sessionId: 'c', clearIndex: 11 }))
        steps.push(step)
    })()
    await sleep(500)
    const whileHeld = steps.length
    await holder.query('rollback')
    await ended
    expect(whileHeld).toBeLessThan(12)
    expect(steps.at(-1)).toMatchObject({ status: 'done', deleted: 10 })
  })
})

describe('tables of another version on Postgres', () => {
  it('that demand more are left as they are', async () => {
    const schema = await copyToPostgres('small.db')
    const app = await schema.connect()
    await app.query("alter table a2_events add column demanded text not null default 'x'")
    await app.query('alter table a2_events alter column demanded drop default')
    const { client } = await openUnlocked(schema)
    const before = await dump(app)
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'incompatible',
    })
    expect(await dump(app)).toBe(before)
  })

  it('that lack something are still written where it is not needed', async () => {
    const schema = await copyToPostgres('small.db')
    const app = await schema.connect()
    await app.query(
      `alter table a2_events drop column last_error; alter table a2_events drop column returned_event_ids;
       drop table a2_snapshot_history; drop table a2_snapshots; drop table a2_presence;
       drop index a2_events_pending; drop index a2_events_lane; drop index a2_events_event_id`,
    )
    const { client } = await openUnlocked(schema)
    expect(await client.actions.redrive({ ...DEAD, action: 'skip' })).toMatchObject({
      outcome: 'done',
    })
    const steps = client.actions.reclaim({ sessionId: 'agent:research-7f3a', clearIndex: 27 })
    const last = (await all(await steps)).at(-1)
    expect(last).toMatchObject({ status: 'failed' })
  })
})

describe('the writes of a foreign Postgres by themselves', () => {
  it('create a2_clears alone, once, also when two do it at the same moment', async () => {
    const schema = await copyToPostgres('legacy-016.db')
    const app = await schema.connect()
    const foreign = await Promise.all(
      [1, 2].map(async () => {
        const gate = await gateTo(schema)
        await gate.unlock()
        const { name } = schema
        return openForeignPostgres({
          write: (run) => gate.write(run),
          schema: name,
          clearEventType: 'm',
        })
      }),
    )
    const before = await dump(app)
    await Promise.all(foreign.map((one) => one.createClearsTable()))
    await foreign[0]?.createClearsTable()
    expect(await dump(app)).toBe(before.replace('a2_presence', 'a2_clears\n\na2_presence'))
  })

  it('answer what a clear would find where there is nothing to clear', async () => {
    const schema = await copyToPostgres('legacy-016.db')
    const app = await schema.connect()
    const gate = await gateTo(schema)
    await gate.unlock()
    const foreign = openForeignPostgres({
      write: (run) => gate.write(run),
      schema: schema.name,
      clearEventType: 'm',
    })
    const before = await dump(app)
    expect(await foreign.clear({ sessionId: 'unknown', createClearsTable: true })).toEqual({
      cleared: true,
      index: 0,
      clearIndex: 0,
    })
    expect(await foreign.clear({ sessionId: 'chat:demo', ifLastIndex: 3 })).toEqual({
      cleared: false,
      index: 12,
      clearIndex: 0,
    })
    expect(await foreign.clear({ sessionId: 'chat:demo' })).toBe('needs-clears-table')
    expect(await foreign.reclaim('chat:demo')).toEqual({ deleted: 0, done: true })
    expect(
      await foreign.redrive({ sessionId: 'chat:demo', index: 1, action: 'skip' }),
    ).toMatchObject({
      redriven: false,
    })
    expect(await dump(app)).toBe(before)
  })
})

describe('writing behind a role that changes its mind', () => {
  it('locks when the time is over elsewhere, and says so', async () => {
    const { client, gate } = await openUnlocked()
    const messages = await client.live({ isVisible: true })
    onTestFinished(async () => void (await messages.return?.()))
    expect((await messages.next()).value).toMatchObject({ kind: 'hello', isWritingUnlocked: true })
    await gate.lock()
    for await (const message of messages) {
      if (message.kind !== 'writing') continue
      expect(message.isUnlocked).toBe(false)
      break
    }
    const redrive = client.actions.redrive({ ...DEAD, action: 'retry' })
    expect((await failureOf(redrive)).code).toBe('WRITING_LOCKED')
  })
})
