import Database from 'better-sqlite3'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { ReclaimProgress } from '../../src/model/action.ts'
import { startChild } from './support/children.ts'
import { listen } from './support/listen.ts'
import { copyFixture, failureOf, makeFolder, open, until, viewAll } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const DEAD = { sessionId: 'order:ord_2026_000918', index: 1 }

/** Everything stored, to see that nothing changed. */
function dump(path: string): string {
  const database = new Database(path, { readonly: true })
  const tables = database
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'table'",
    )
    .all()
  const rows = tables.map(({ name }) => database.prepare(`select * from "${name}"`).raw().all())
  database.close()
  return JSON.stringify([tables, rows])
}

async function openUnlocked(path = copyFixture('small.db')) {
  const opened = open(path)
  await opened.client.writing.unlock()
  return opened
}

function auditOf(dataFolder: string): Record<string, unknown>[] {
  return readFileSync(join(dataFolder, 'audit.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the switch', () => {
  it('is locked at first, and again when asked for: every write is refused below the screens', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    const before = dump(path)
    const writes = [
      () =>
        client.actions.clear({
          sessionId: 'scheduler:daily',
          ifLastIndex: 4,
          createClearsTable: false,
        }),
      () => client.actions.redrive({ ...DEAD, action: 'retry' }),
      () => client.actions.redrive({ ...DEAD, action: 'skip' }),
      async () => {
        const steps = await client.actions.reclaim({
          sessionId: 'agent:research-7f3a',
          clearIndex: 27,
        })
        for await (const step of steps) expect(step).toBe('never')
      },
    ]
    for (const write of writes) expect((await failureOf(write())).code).toBe('WRITING_LOCKED')
    expect(await client.writing.unlock()).toEqual({ isUnlocked: true, until: null })
    expect(await client.writing.lock()).toEqual({ isUnlocked: false, until: null })
    for (const write of writes) expect((await failureOf(write())).code).toBe('WRITING_LOCKED')
    expect(dump(path)).toBe(before)
  })
})

describe('clear', () => {
  it('says what it would hide', async () => {
    const { client } = open(copyFixture('small.db'))
    expect(await client.actions.previewClear({ sessionId: 'agent:research-7f3a' })).toEqual({
      sessionId: 'agent:research-7f3a',
      head: 37,
      clearIndex: 27,
      live: 10,
      work: { ready: 2, blocked: 5, running: 0, expired: 0, retrying: 1, dead: 0 },
      snapshots: [
        { reducer: 'notes', upToIndex: 37, isHead: true },
        { reducer: 'notes', upToIndex: 35, isHead: false },
      ],
      needsClearsTable: false,
      isEmpty: false,
      markerType: 'a2.session.cleared',
    })
    expect(await client.actions.previewClear({ sessionId: 'chat:demo' })).toMatchObject({
      isEmpty: true,
    })
    const missing = client.actions.previewClear({ sessionId: 'no such session' })
    expect(await failureOf(missing)).toEqual({ code: 'NOT_FOUND', data: { what: 'session' } })
  })

  it('appends one marker, and says so when it is asked for again', async () => {
    const { client, dataFolder, path } = await openUnlocked()
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toEqual({
      outcome: 'done',
      detail: 'Cleared: the marker is #5.',
    })
    const { summary } = await client.sessions.get({ sessionId: 'scheduler:daily' })
    expect(summary).toMatchObject({ head: 5, clearIndex: 5, live: 0 })
    const after = dump(path)
    expect(await client.actions.clear(wanted)).toMatchObject({ outcome: 'already-done' })
    expect(dump(path)).toBe(after)
    expect(auditOf(dataFolder)).toMatchObject([
      {
        phase: 'intent',
        action: 'clear',
        sessionId: 'scheduler:daily',
        index: null,
        guard: { ifLastIndex: 4 },
        outcome: null,
        database: path,
      },
      { phase: 'outcome', action: 'clear', outcome: 'done' },
      { phase: 'intent', outcome: null },
      { phase: 'outcome', outcome: 'already-done' },
    ])
  })

  it('clears what nobody has seen when that is asked for, and names it', async () => {
    const path = copyFixture('small.db')
    const { client, dataFolder } = await openUnlocked(path)
    const sessionId = 'scheduler:daily'
    const app = openApp(path)
    insertRows(app, [
      { session: sessionId, index: 5 },
      { session: sessionId, index: 6 },
    ])
    const guard = { ifClearIndex: 0, lastSeen: 4, createClearsTable: false }
    const detail = 'Cleared: the marker is #7. 2 events that came meanwhile are cleared too: #5–#6.'
    expect(await client.actions.clear({ sessionId, ...guard })).toEqual({ outcome: 'done', detail })
    const { summary } = await client.sessions.get({ sessionId })
    expect(summary).toMatchObject({ head: 7, clearIndex: 7, live: 0 })

    // What came after that clear is another lifetime.
    insertRows(app, [{ session: sessionId, index: 8 }])
    const before = dump(path)
    expect(await client.actions.clear({ sessionId, ...guard })).toMatchObject({
      outcome: 'refused',
      reason: 'cleared-meanwhile',
    })
    expect(dump(path)).toBe(before)
    const anew = { ...guard, ifClearIndex: 7, lastSeen: 8 }
    expect(await client.actions.clear({ sessionId, ...anew })).toEqual({
      outcome: 'done',
      detail: 'Cleared: the marker is #9.',
    })
    expect(auditOf(dataFolder)).toMatchObject([
      { phase: 'intent', action: 'clear', sessionId, guard },
      { phase: 'outcome', outcome: 'done', detail },
      { phase: 'intent', guard },
      { phase: 'outcome', outcome: 'refused' },
      { phase: 'intent', guard: anew },
      { phase: 'outcome', outcome: 'done' },
    ])
  })

  it('takes one guard, not both and not none', async () => {
    const { client, path } = await openUnlocked()
    const before = dump(path)
    const wanted = { sessionId: 'scheduler:daily', createClearsTable: false }
    const both = { ...wanted, ifLastIndex: 4, ifClearIndex: 0, lastSeen: 4 }
    for (const input of [both, wanted])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await failureOf(client.actions.clear(input as typeof both))).code).toBe('BAD_REQUEST')
    expect(dump(path)).toBe(before)
  })

  it('refuses when the session moved on, names both ends, and changes nothing', async () => {
    const path = copyFixture('small.db')
    const { client, dataFolder } = await openUnlocked(path)
    const seen = await client.actions.previewClear({ sessionId: 'scheduler:daily' })
    insertRows(openApp(path), [{ session: 'scheduler:daily', index: 5 }])
    const before = dump(path)
    const outcome = await client.actions.clear({
      sessionId: seen.sessionId,
      ifLastIndex: seen.head,
      createClearsTable: false,
    })
    expect(outcome).toMatchObject({ outcome: 'refused', reason: 'moved-on' })
    expect(outcome.detail).toContain('#5')
    expect(outcome.detail).toContain('#4')
    expect(dump(path)).toBe(before)
    expect(auditOf(dataFolder).at(-1)).toMatchObject({
      phase: 'outcome',
      outcome: 'refused',
      detail: outcome.detail,
    })
  })

  it('uses the marker type of the database', async () => {
    const path = join(makeFolder(), 'own.db')
    const app = openApp(path)
    makeBareTables(app)
    insertRows(app, [
      { session: 'old', index: 1 },
      { session: 'old', index: 2, type: 'my.clear', payload: 'null' },
      { session: 'new', index: 1 },
    ])
    app.exec("insert into a2_clears values ('old', 2)")
    const { client } = await openUnlocked(path)
    await client.actions.clear({ sessionId: 'new', ifLastIndex: 1, createClearsTable: false })
    const [, marker] = await client.events.range({ sessionId: 'new', from: 1, to: 2 })
    expect(marker).toMatchObject({
      index: 2,
      type: 'my.clear',
      state: 'marker',
      payloadStart: 'null',
    })
  })

  it('asks before it creates the table a 0.16 file lacks', async () => {
    const path = copyFixture('legacy-016.db')
    const { client } = await openUnlocked(path)
    expect(await client.actions.previewClear({ sessionId: 'chat:demo' })).toMatchObject({
      needsClearsTable: true,
    })
    const before = dump(path)
    const wanted = { sessionId: 'chat:demo', ifLastIndex: 12, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'needs-clears-table',
    })
    expect(dump(path)).toBe(before)
    expect(await client.actions.clear({ ...wanted, createClearsTable: true })).toMatchObject({
      outcome: 'done',
    })
    expect(await client.facts()).toMatchObject({ schema: '0.18', isMarkerTypeLearned: true })
    const { lifetimes } = await client.sessions.get({ sessionId: 'chat:demo' })
    expect(lifetimes.map(({ from, to, status }) => [from, to, status])).toEqual([
      [14, 13, 'current'],
      [1, 12, 'cleared'],
    ])
  })
})

describe('retry and skip', () => {
  it('make a dead letter ready, and its lane go on', async () => {
    const { client } = await openUnlocked()
    await viewAll(client)
    expect(await client.actions.previewRedrive({ ...DEAD, action: 'skip' })).toMatchObject({
      isStillDead: true,
      becomesReady: { index: 2, type: 'invoice.requested' },
      waitingBehind: { count: 1, isLowerBound: false },
      lane: 'invoice',
    })
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'done',
    })
    expect(await client.events.get(DEAD)).toMatchObject({
      state: 'ready',
      failedAt: null,
      failureCount: 0,
    })
    expect((await client.deadLetters.view({ text: '' })).total).toBe(0)
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'already-done',
    })
  })

  it('skips', async () => {
    const { client, dataFolder } = await openUnlocked()
    expect(await client.actions.redrive({ ...DEAD, action: 'skip' })).toMatchObject({
      outcome: 'done',
    })
    const rows = await client.events.range({ sessionId: DEAD.sessionId, from: 1, to: 2 })
    expect(rows.map(({ state }) => state)).toEqual(['skipped', 'ready'])
    expect(await client.actions.redrive({ ...DEAD, action: 'skip' })).toMatchObject({
      outcome: 'already-done',
    })
    expect(auditOf(dataFolder)).toMatchObject([
      { phase: 'intent', action: 'skip', index: 1 },
      { phase: 'outcome', outcome: 'done' },
      { phase: 'intent' },
      { phase: 'outcome', outcome: 'already-done' },
    ])
  })

  const MEANWHILE = {
    'a worker finished it': {
      sql: 'update a2_events set failed_at = null, processed_at = 99 where idx = 1 and session_id = ?',
      retry: 'finished-meanwhile',
      skip: 'finished-meanwhile',
    },
    'it was skipped': {
      sql: 'update a2_events set processed_at = 99, failed_at = 5 where idx = 1 and session_id = ?',
      retry: 'finished-meanwhile',
      skip: 'already-done',
    },
    'it was retried': {
      sql: 'update a2_events set failed_at = null where idx = 1 and session_id = ?',
      retry: 'already-done',
      skip: 'no-longer-dead',
    },
    'the session was cleared': {
      sql: 'insert into a2_clears values (?, 7)',
      retry: 'cleared-meanwhile',
      skip: 'cleared-meanwhile',
    },
    'it is gone': {
      sql: 'delete from a2_events where idx = 1 and session_id = ?',
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
    const path = copyFixture('small.db')
    const { client, dataFolder } = await openUnlocked(path)
    expect(await client.actions.previewRedrive({ ...DEAD, action })).toMatchObject({
      isStillDead: true,
    })
    openApp(path).prepare(sql).run(DEAD.sessionId)
    const before = dump(path)
    const outcome = await client.actions.redrive({ ...DEAD, action })
    expect(outcome.outcome === 'refused' ? outcome.reason : outcome.outcome).toBe(expected)
    expect(dump(path)).toBe(before)
    expect(auditOf(dataFolder).at(-1)).toMatchObject({ phase: 'outcome', outcome: outcome.outcome })
  })
})

describe('reclaim', () => {
  function makeCleared(events: number): string {
    const path = join(makeFolder(), 'cleared.db')
    const app = openApp(path)
    makeBareTables(app)
    app.exec(`create table a2_snapshots (session_id text, reducer_name text, up_to_index integer, state text);
      create table a2_snapshot_history (session_id text, reducer_name text, up_to_index integer, state text);
      create table a2_snapshot_pins (session_id text, event_index integer, reducer_name text, up_to_index integer)`)
    const rows = Array.from({ length: events }, (_, n) => ({
      session: 'c',
      index: n + 1,
      payload: '"abc"',
    }))
    insertRows(app, [
      ...rows,
      { session: 'c', index: events + 1, type: 'a2.session.cleared', payload: 'null' },
    ])
    app.prepare('insert into a2_clears values (?, ?)').run('c', events + 1)
    return path
  }

  it('deletes in batches, says how far it is, and keeps the marker', async () => {
    const path = makeCleared(600)
    const { client, dataFolder } = await openUnlocked(path)
    expect(await client.actions.previewReclaim({ sessionId: 'c' })).toEqual({
      sessionId: 'c',
      clearIndex: 601,
      events: { count: 600, isLowerBound: false },
      payloadBytes: 3000,
      snapshots: 0,
      pins: 0,
    })
    const steps: unknown[] = []
    for await (const step of await client.actions.reclaim({ sessionId: 'c', clearIndex: 601 }))
      steps.push(step)
    expect(steps).toEqual([
      { deleted: 256, total: 600, status: 'running', detail: null },
      { deleted: 512, total: 600, status: 'running', detail: null },
      { deleted: 600, total: 600, status: 'running', detail: null },
      { deleted: 600, total: 600, status: 'done', detail: '600 cleared events are gone for good.' },
    ])
    expect(await client.events.range({ sessionId: 'c', from: 1, to: 500 })).toEqual([])
    const { lifetimes, summary } = await client.sessions.get({ sessionId: 'c' })
    expect(summary).toMatchObject({ firstIndex: 601, head: 601, toReclaim: { count: 0 } })
    expect(lifetimes[1]).toMatchObject({ status: 'reclaimed', gone: [{ from: 1, to: 600 }] })
    expect(auditOf(dataFolder).at(-1)).toMatchObject({
      action: 'reclaim',
      outcome: 'done',
      guard: { clearIndex: 601 },
    })
  })

  it('stops after the batch in hand', async () => {
    const path = makeCleared(1000)
    const { client, dataFolder } = await openUnlocked(path)
    const steps = await client.actions.reclaim({ sessionId: 'c', clearIndex: 1001 })
    expect((await steps.next()).value).toMatchObject({ deleted: 256, status: 'running' })
    await steps.return?.()
    const line = await until(
      () => auditOf(dataFolder).find(({ phase }) => phase === 'outcome'),
      'its outcome',
    )
    expect(line).toMatchObject({ outcome: 'stopped' })
    const { summary } = await client.sessions.get({ sessionId: 'c' })
    expect((summary.firstIndex - 1) % 256).toBe(0)
    expect(summary.firstIndex).toBeLessThan(1001)
    expect(line['detail']).toContain(`${summary.firstIndex - 1} cleared events`)
  })

  it('stops when it is told to, and says how much is gone', async () => {
    const { client, dataFolder } = await openUnlocked(makeCleared(1000))
    const steps = await client.actions.reclaim({ sessionId: 'c', clearIndex: 1001 })
    await steps.next()
    await client.actions.stopReclaim({ sessionId: 'another' })
    expect((await steps.next()).value).toMatchObject({ deleted: 512, status: 'running' })
    await client.actions.stopReclaim({ sessionId: 'c' })
    let last: ReclaimProgress | null = null
    for await (const step of steps) last = step
    const { summary } = await client.sessions.get({ sessionId: 'c' })
    const deleted = summary.firstIndex - 1
    const detail = `Stopped. ${deleted} cleared events are gone for good.`
    expect(deleted).toBeLessThan(1000)
    expect(last).toEqual({ deleted, total: 1000, status: 'stopped', detail })
    expect(auditOf(dataFolder).at(-1)).toMatchObject({ outcome: 'stopped', detail })
  })

  it('stops when writing is locked again', async () => {
    const { client } = await openUnlocked(makeCleared(1000))
    const steps = await client.actions.reclaim({ sessionId: 'c', clearIndex: 1001 })
    await steps.next()
    await client.writing.lock()
    let last: unknown = null
    for await (const step of steps) last = step
    expect(last).toMatchObject({ status: 'stopped' })
  })

  it('does not delete what was cleared after the person looked', async () => {
    const path = makeCleared(10)
    const app = openApp(path)
    const { client, dataFolder } = await openUnlocked(path)
    insertRows(app, [
      { session: 'c', index: 12 },
      { session: 'c', index: 13, type: 'a2.session.cleared' },
    ])
    app.exec("update a2_clears set clear_index = 13 where session_id = 'c'")
    const before = dump(path)
    const steps: unknown[] = []
    for await (const step of await client.actions.reclaim({ sessionId: 'c', clearIndex: 11 }))
      steps.push(step)
    expect(steps).toMatchObject([{ deleted: 0, status: 'failed' }])
    expect(dump(path)).toBe(before)
    expect(auditOf(dataFolder).at(-1)).toMatchObject({ outcome: 'failed' })
  })
})

describe('when it cannot be written', () => {
  it('is refused while another program holds the lock, and done once that one is through', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = await openUnlocked(path)
    app.exec('begin immediate')
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'refused',
      reason: 'busy',
    })
    const waiting = client.actions.redrive({ ...DEAD, action: 'retry' })
    app.exec('rollback')
    expect(await waiting).toMatchObject({ outcome: 'done' })
  })

  it('does nothing when writing is locked again while it waits for its turn', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client, dataFolder } = await openUnlocked(path)
    const before = dump(path)
    app.exec('begin immediate')
    const clear = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    const reclaim = { sessionId: 'agent:research-7f3a', clearIndex: 27 }
    const waiting = [
      failureOf(client.actions.clear(clear)),
      failureOf(client.actions.redrive({ ...DEAD, action: 'retry' })),
      failureOf(client.actions.redrive({ ...DEAD, action: 'skip' })),
    ]
    const steps = await client.actions.reclaim(reclaim)
    const end = steps.next()
    const intents = (): number => auditOf(dataFolder).length
    await until(() => existsSync(join(dataFolder, 'audit.ndjson')) && intents() === 4, 'intents')
    await client.writing.lock()
    app.exec('rollback')
    for (const one of await Promise.all(waiting)) expect(one.code).toBe('WRITING_LOCKED')
    expect((await end).value).toMatchObject({ status: 'stopped', deleted: 0 })
    expect(dump(path)).toBe(before)
    const outcomes = auditOf(dataFolder).filter(({ phase }) => phase === 'outcome')
    expect(Object.fromEntries(outcomes.map((line) => [line['action'], line['outcome']]))).toEqual({
      clear: 'refused',
      retry: 'refused',
      skip: 'refused',
      reclaim: 'stopped',
    })
  })

  it('changes nothing when the audit log cannot be written', async () => {
    const path = copyFixture('small.db')
    const dataFolder = join(makeFolder(), 'data')
    mkdirSync(join(dataFolder, 'audit.ndjson'), { recursive: true })
    const { client } = open(path, { dataFolder })
    await client.writing.unlock()
    const before = dump(path)
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    expect(await client.actions.clear(wanted)).toMatchObject({
      outcome: 'refused',
      reason: 'no-audit',
    })
    expect(await client.actions.redrive({ ...DEAD, action: 'skip' })).toMatchObject({
      reason: 'no-audit',
    })
    const steps = await client.actions.reclaim({ sessionId: 'agent:research-7f3a', clearIndex: 27 })
    expect((await steps.next()).value).toMatchObject({ status: 'failed', deleted: 0 })
    expect(dump(path)).toBe(before)
  })

  it('answers a reclaim of a missing file with the trouble, not a defect', async () => {
    const { client } = open(join(makeFolder(), 'missing.db'))
    await client.writing.unlock()
    const steps = await client.actions.reclaim({ sessionId: 'c', clearIndex: 1 })
    const failure = await failureOf(steps.next())
    expect(failure).toMatchObject({ code: 'DATABASE_TROUBLE', data: { kind: 'not-found' } })
  })

  it('says that the file is missing, and puts that on record', async () => {
    const path = join(makeFolder(), 'missing.db')
    const { client, dataFolder } = open(path)
    await client.writing.unlock()
    const failure = await failureOf(client.actions.redrive({ ...DEAD, action: 'retry' }))
    expect(failure).toMatchObject({ code: 'DATABASE_TROUBLE', data: { kind: 'not-found' } })
    expect(auditOf(dataFolder).at(-1)).toMatchObject({ outcome: 'failed' })
  })
})

describe('after a write', () => {
  it('everyone who watches hears of it, and the numbers have moved', async () => {
    const { client } = await openUnlocked()
    await viewAll(client)
    const { hear, events } = await listen(client)
    await client.actions.clear({
      sessionId: DEAD.sessionId,
      ifLastIndex: 7,
      createClearsTable: false,
    })
    expect(await client.deadLetters.view({ text: '' })).toMatchObject({ total: 0 })
    await hear('changed')
    await until(() => events().length === 1, 'the marker heard')
    expect(events()).toEqual([{ sessionId: DEAD.sessionId, index: 8, type: 'a2.session.cleared' }])
  })

  it('leaves the app that has the file open in peace', async () => {
    const path = copyFixture('small.db')
    const child = startChild('hold-open', [path])
    await once(child.stdout, 'data')
    const { client } = await openUnlocked(path)
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'done',
    })
    const [session] = await client.sessions.find({ text: 'from the app', limit: 1 })
    expect(session).toBe('from the app')
    child.stdin.write('end')
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(0)
    expect(await client.events.get(DEAD)).toMatchObject({ state: 'ready' })
  })
})

describe('the audit log', () => {
  it('is readable by its owner only', async () => {
    const { client, dataFolder } = await openUnlocked()
    await client.actions.redrive({ ...DEAD, action: 'retry' })
    expect(statSync(join(dataFolder, 'audit.ndjson')).mode & 0o777).toBe(0o600)
  })

  it('gives pages of actions, newest first, of this database or of all', async () => {
    const dataFolder = join(makeFolder(), 'data')
    const [one, two] = [
      open(copyFixture('small.db'), { dataFolder }),
      open(copyFixture('small.db'), { dataFolder }),
    ]
    await one.client.writing.unlock()
    await two.client.writing.unlock()
    for (const action of ['retry', 'skip', 'retry'] as const)
      await one.client.actions.redrive({ ...DEAD, action })
    await two.client.actions.redrive({ ...DEAD, action: 'skip' })
    const all = await one.client.audit({ scope: 'all', beforeOffset: null, limit: 10 })
    expect(
      all.entries.map(({ action, outcome, database }) => [action, outcome, database === one.path]),
    ).toEqual([
      ['skip', 'done', false],
      ['retry', 'already-done', true],
      ['skip', 'refused', true],
      ['retry', 'done', true],
    ])
    expect(all).toMatchObject({
      nextBeforeOffset: null,
      unreadableLines: 0,
      path: join(dataFolder, 'audit.ndjson'),
    })
    const first = await one.client.audit({ scope: 'database', beforeOffset: null, limit: 2 })
    expect(first.entries.map(({ action }) => action)).toEqual(['retry', 'skip'])
    const second = await one.client.audit({
      scope: 'database',
      beforeOffset: first.nextBeforeOffset,
      limit: 2,
    })
    expect(second.entries.map(({ action, hasOutcome }) => [action, hasOutcome])).toEqual([
      ['retry', true],
    ])
    expect(second.nextBeforeOffset).toBe(null)
  })

  it('is empty before the first action', async () => {
    const { client } = open(copyFixture('small.db'))
    expect(await client.audit({ scope: 'all', beforeOffset: null, limit: 10 })).toMatchObject({
      entries: [],
      nextBeforeOffset: null,
    })
  })

  it('keeps a line cut short by itself, and an intent without an outcome as unknown', async () => {
    const dataFolder = join(makeFolder(), 'data')
    mkdirSync(dataFolder)
    const path = copyFixture('small.db')
    const intent = {
      id: 'i',
      phase: 'intent',
      at: '2026-01-01T00:00:00.000Z',
      database: path,
      action: 'skip',
      sessionId: 's',
      index: 3,
      guard: {},
      outcome: null,
      detail: null,
    }
    const torn = '{"id":"cut short'
    writeFileSync(
      join(dataFolder, 'audit.ndjson'),
      `${JSON.stringify(intent)}\nnot json\n\n${torn}`,
    )
    const { client } = open(path, { dataFolder })
    const before = await client.audit({ scope: 'all', beforeOffset: null, limit: 10 })
    expect(before.entries).toMatchObject([{ id: 'i', hasOutcome: false, outcome: null }])
    expect(before.unreadableLines).toBe(1)
    await client.writing.unlock()
    await client.actions.redrive({ ...DEAD, action: 'retry' })
    const after = await client.audit({ scope: 'all', beforeOffset: null, limit: 10 })
    expect(after.entries.map(({ hasOutcome }) => hasOutcome)).toEqual([true, false])
    expect(after.unreadableLines).toBe(2)
    const lines = readFileSync(join(dataFolder, 'audit.ndjson'), 'utf8').split('\n')
    expect(lines).toContain(torn)
  })

  it('gives the same to all who ask at once', async () => {
    const dataFolder = join(makeFolder(), 'data')
    mkdirSync(dataFolder)
    const path = copyFixture('small.db')
    const line = {
      phase: 'outcome',
      at: '2026-01-01T00:00:00.000Z',
      database: path,
      action: 'skip',
      sessionId: 's',
      index: 3,
      guard: {},
      outcome: 'done',
      detail: 'x'.repeat(1000),
    }
    // More than is read at once.
    const lines = Array.from({ length: 3000 }, (_, n) => JSON.stringify({ id: `${n}`, ...line }))
    writeFileSync(join(dataFolder, 'audit.ndjson'), `${lines.join('\n')}\n`)
    const { client } = open(path, { dataFolder })
    const ask = () => client.audit({ scope: 'all', beforeOffset: null, limit: 500 })
    const pages = await Promise.all([ask(), ask(), ask()])
    for (const page of pages) {
      expect(page.entries.map(({ id }) => id)).toEqual(
        Array.from({ length: 500 }, (_, n) => `${2999 - n}`),
      )
      expect(page).toMatchObject({ unreadableLines: 0, cannotRead: null })
    }
  })

  it('passes over a line that is longer than any of ours, and goes on behind it', async () => {
    const dataFolder = join(makeFolder(), 'data')
    mkdirSync(dataFolder)
    const path = copyFixture('small.db')
    const { client } = open(path, { dataFolder })
    await client.writing.unlock()
    const longId = '\u0001'.repeat(1_000_000)
    const clear = { ifLastIndex: 1, createClearsTable: false }
    await client.actions.clear({ ...clear, sessionId: longId })
    const log = join(dataFolder, 'audit.ndjson')
    for (let n = 0; n < 40; n += 1) appendFileSync(log, Buffer.alloc(1_000_000, 'x'))
    const ask = () => client.audit({ scope: 'all', beforeOffset: null, limit: 10 })
    expect(await ask()).toMatchObject({ entries: [{ sessionId: longId }], unreadableLines: 0 })
    await client.actions.clear({ ...clear, sessionId: 'next' })
    const { entries, unreadableLines } = await ask()
    expect(entries.map(({ sessionId }) => sessionId)).toEqual(['next', longId])
    expect(unreadableLines).toBe(1)
    const newest = await client.audit({ scope: 'all', beforeOffset: null, limit: 1 })
    const older = { scope: 'all', beforeOffset: newest.nextBeforeOffset, limit: 1 } as const
    expect((await client.audit(older)).entries).toMatchObject([{ sessionId: longId }])
  })

  it('says so when it cannot be read', async () => {
    const dataFolder = join(makeFolder(), 'data')
    mkdirSync(join(dataFolder, 'audit.ndjson'), { recursive: true })
    const { client } = open(copyFixture('small.db'), { dataFolder })
    expect(await client.audit({ scope: 'all', beforeOffset: null, limit: 10 })).toMatchObject({
      entries: [],
      cannotRead: 'EISDIR',
    })
  })

  it('can be read while the database cannot', async () => {
    const path = copyFixture('small.db')
    const { client } = await openUnlocked(path)
    await client.actions.redrive({ ...DEAD, action: 'retry' })
    chmodSync(dirname(path), 0o755)
    writeFileSync(path, '')
    const { entries } = await client.audit({ scope: 'database', beforeOffset: null, limit: 10 })
    expect(entries).toHaveLength(1)
  })
})
