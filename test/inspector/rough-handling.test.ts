import Database from 'better-sqlite3'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { listen } from './support/listen.ts'
import { copyFixture, failureOf, makeFolder, open, until, viewAll } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const DEAD = { sessionId: 'order:ord_2026_000918', index: 1 }
const VIEW = { sort: 'activity', direction: 'desc', text: '', chips: [] } as const

describe('questions that make no sense', () => {
  it('are refused before the database is asked', async () => {
    const { client } = open(copyFixture('small.db'))
    const bad = [
      () => client.events.range({ sessionId: 's', from: 0, to: 1 }),
      () => client.events.range({ sessionId: 's', from: 1.5, to: 2 }),
      () => client.events.get({ sessionId: 's', index: 2 ** 60 }),
      () => client.events.payload({ sessionId: 's', index: 1, offsetBytes: -1 }),
      () => client.sessions.rows({ viewId: 'x', offset: 0, limit: 201 }),
      () => client.sessions.view({ ...VIEW, text: 'x'.repeat(4097) } as never),
      () => client.sessions.view({ ...VIEW, sort: 'created_at; drop table a2_events' } as never),
      () => client.sessions.get({ sessionId: 7 } as never),
      () => client.audit({ scope: 'all', beforeOffset: null, limit: 0 }),
      () => client.actions.redrive({ ...DEAD, action: 'delete' } as never),
    ]
    for (const ask of bad) expect((await failureOf(ask())).code).toBe('BAD_REQUEST')
  })

  it('by a name that no database holds are refused: bound, it would be the name of something else', async () => {
    const path = join(makeFolder(), 'names.db')
    const app = openApp(path)
    makeBareTables(app)
    insertRows(app, [
      { session: '\ufffd', index: 1, id: '\ufffd' },
      { session: '\ufffd', index: 2, processedAt: null, failedAt: 1 },
    ])
    const { client } = open(path)
    await client.writing.unlock()
    for (const sessionId of ['\ud800', '\udfff', 'a\ud800b']) {
      const state = { upToIndex: 1, source: 'head', offsetBytes: 0 } as const
      const ask = [
        () => client.sessions.get({ sessionId }),
        () => client.events.range({ sessionId, from: 1, to: 1 }),
        () => client.events.get({ sessionId, index: 1 }),
        () => client.events.payload({ sessionId, index: 1, offsetBytes: 0 }),
        () => client.events.locate({ eventId: sessionId }),
        () => client.snapshots.list({ sessionId }),
        () => client.snapshots.state({ ...state, sessionId, reducer: 'r' }),
        () => client.snapshots.state({ ...state, sessionId: 's', reducer: sessionId }),
        () => client.actions.previewClear({ sessionId }),
        () => client.actions.clear({ sessionId, ifLastIndex: 2, createClearsTable: false }),
        () => client.actions.previewReclaim({ sessionId }),
        () => client.actions.reclaim({ sessionId, clearIndex: 1 }),
        () => client.actions.previewRedrive({ sessionId, index: 2, action: 'skip' }),
        () => client.actions.redrive({ sessionId, index: 2, action: 'skip' }),
      ]
      for (const run of ask)
        expect((await failureOf(run())).code, run.toString()).toBe('BAD_REQUEST')
    }
    expect(await client.sessions.get({ sessionId: '\ufffd' })).toMatchObject({
      summary: { head: 2, work: { dead: 1 } },
    })
  })

  it('about lists that were never made, or long ago, are told so', async () => {
    const { client } = open(copyFixture('small.db'))
    const first = await viewAll(client)
    for (let n = 0; n < 15; n += 1) await client.sessions.view({ ...VIEW, chips: [] })
    const rows = (viewId: string) => client.sessions.rows({ viewId, offset: 0, limit: 9 })
    expect(await rows(first.viewId)).toHaveLength(8)
    const second = await client.sessions.view({ ...VIEW, chips: [] })
    for (let n = 0; n < 16; n += 1) await client.sessions.view({ ...VIEW, chips: [] })
    for (const viewId of [second.viewId, 'never made', '__proto__']) {
      expect(await failureOf(rows(viewId))).toEqual({ code: 'NOT_FOUND', data: { what: 'view' } })
    }
    const dead = client.deadLetters.rows({ viewId: 'never made', offset: 0, limit: 9 })
    expect(await failureOf(dead)).toEqual({ code: 'NOT_FOUND', data: { what: 'view' } })
  })

  it('beyond the end of a list are answered with nothing', async () => {
    const { client } = open(copyFixture('small.db'))
    const { viewId } = await viewAll(client)
    expect(await client.sessions.rows({ viewId, offset: 8, limit: 200 })).toEqual([])
    expect(await client.sessions.rows({ viewId, offset: 1e9, limit: 1 })).toEqual([])
  })
})

describe('sorting and chips', () => {
  it('sort by what is asked for, ties by the last activity', async () => {
    const { client } = open(copyFixture('small.db'), { now: 1_768_214_476_800 })
    const first = async (wanted: Partial<Parameters<typeof client.sessions.view>[0]>) => {
      const view = await viewAll(client, wanted)
      const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 9 })
      return rows.map((row) => row?.id.split(/[:]/)[0])
    }
    expect(await first({ sort: 'activity' })).toEqual([
      'scheduler',
      'import',
      'chat',
      'chat',
      'agent',
      'order',
      'order',
      'support',
    ])
    expect(await first({ sort: 'dead' })).toEqual([
      'order',
      'scheduler',
      'import',
      'chat',
      'chat',
      'agent',
      'order',
      'support',
    ])
    expect((await first({ sort: 'pending' })).slice(0, 3)).toEqual([
      'agent',
      'support',
      'scheduler',
    ])
    expect((await first({ sort: 'live' })).slice(0, 2)).toEqual(['support', 'agent'])
    expect(await first({ sort: 'live', direction: 'asc', chips: ['cleared'] })).toEqual([
      'chat',
      'import',
      'chat',
      'agent',
    ])
    expect(await first({ chips: ['blocked', 'retrying'] })).toEqual(['agent', 'order'])
    expect(await first({ text: 'ORDER', chips: ['pending'] })).toEqual(['order'])
  })

  it('count the chips for the text, whatever chips are chosen', async () => {
    const { client } = open(copyFixture('small.db'), { now: 1_768_214_476_800 })
    const all = { dead: 1, pending: 5, running: 1, expired: 2, blocked: 2, retrying: 2, cleared: 4 }
    expect((await viewAll(client, { chips: ['dead'] })).chips).toEqual(all)
    expect((await viewAll(client, { text: 'chat:' })).chips).toEqual({
      dead: 0,
      pending: 0,
      running: 0,
      expired: 0,
      blocked: 0,
      retrying: 0,
      cleared: 2,
    })
  })

  it('keep their order while rows change under them', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    const { viewId } = await viewAll(client)
    const ids = async () =>
      (await client.sessions.rows({ viewId, offset: 0, limit: 9 })).map((row) => row?.id)
    const before = await ids()
    insertRows(app, [
      { session: 'chat:demo', index: 14, createdAt: 9e12 },
      { session: 'new', index: 1 },
    ])
    app.exec("delete from a2_events where session_id = 'scheduler:daily'")
    const after = await ids()
    expect(after).toEqual(before.map((id) => (id === 'scheduler:daily' ? undefined : id)))
    const rows = await client.sessions.rows({ viewId, offset: 0, limit: 9 })
    expect(rows.find((row) => row?.id === 'chat:demo')).toMatchObject({ head: 14, live: 1 })
  })
})

describe('a file under unusual conditions', () => {
  it('is reached through a link that later points elsewhere', async () => {
    const [one, two] = [copyFixture('small.db'), copyFixture('legacy-016.db')]
    const link = join(makeFolder(), 'link.db')
    symlinkSync(one, link)
    const { client } = open(link)
    const { events, hear } = await listen(client)
    insertRows(openApp(one), [{ session: 'through the link', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
    expect(await client.facts()).toMatchObject({ isWalAbsent: false, schema: '0.18' })
    unlinkSync(link)
    symlinkSync(two, link)
    await hear('reopened')
    expect(await client.facts()).toMatchObject({ schema: '0.16' })
    insertRows(openApp(two), [{ session: 'of the second', index: 1 }])
    await until(() => events().length === 2, 'the event of the other file heard')
  })

  it('is in a folder that is made anew', async () => {
    const folder = join(makeFolder(), '.a2')
    mkdirSync(folder)
    const path = join(folder, 'dev.db')
    copyFileSync(copyFixture('small.db'), path)
    const { client } = open(path)
    await viewAll(client)
    const { events, hear } = await listen(client)
    rmSync(folder, { recursive: true })
    await hear('trouble')
    mkdirSync(folder)
    copyFileSync(copyFixture('legacy-016.db'), path)
    await hear('reopened')
    insertRows(openApp(path), [{ session: 'anew', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
    expect(await client.facts()).toMatchObject({ schema: '0.16' })
  })

  it('appears only after someone waits for it', async () => {
    const path = join(makeFolder(), 'not/yet.db')
    const { client } = open(path)
    const { hear } = await listen(client)
    await hear('trouble')
    mkdirSync(join(path, '..'))
    renameSync(copyFixture('small.db'), path)
    await hear('reopened')
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })

  it('belongs to an app that takes it for itself alone', async () => {
    const path = copyFixture('small.db')
    const app = new Database(path)
    app.pragma('locking_mode = exclusive')
    insertRows(app, [{ session: 'alone', index: 1 }])
    const { client } = open(path)
    expect(await failureOf(client.facts())).toMatchObject({ data: { kind: 'locked' } })
    await client.writing.unlock()
    expect(await client.actions.redrive({ ...DEAD, action: 'retry' })).toMatchObject({
      outcome: 'refused',
      reason: 'busy',
    })
    app.close()
    expect(await viewAll(client)).toMatchObject({ known: 9 })
  })

  it('is read while a transaction is being written', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    app.exec('begin immediate')
    insertRow(app, 'uncommitted')
    const { client } = open(path)
    const { events } = await listen(client)
    expect(await viewAll(client)).toMatchObject({ known: 8 })
    app.exec('commit')
    await until(() => events().length === 1, 'the event heard')
  })

  it('changes its journal mode', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    const { events } = await listen(client)
    await until(() => {
      try {
        return app.pragma('journal_mode = delete', { simple: true }) === 'delete'
      } catch {
        return false
      }
    }, 'our handle out of the way')
    insertRow(app, 'in rollback mode')
    await until(() => events().length === 1, 'the event heard')
    expect(await client.facts()).toMatchObject({ journalMode: 'delete', isWalAbsent: false })
    app.pragma('journal_mode = wal')
    insertRow(app, 'in WAL mode')
    await until(() => events().length === 2, 'the other event heard')
  })

  it('gets a column, loses a table', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    await viewAll(client)
    app.exec('alter table a2_events add column tenant text; drop table a2_presence')
    expect((await client.events.get(DEAD)).unknownColumns).toMatchObject([{ name: 'tenant' }])
    expect(await client.presence()).toMatchObject({ isSupported: false })
    app.exec('alter table a2_events drop column tenant; drop table a2_clears')
    expect(await client.facts()).toMatchObject({ schema: '0.16', unknownColumns: [] })
    expect(await client.sessions.get({ sessionId: 'chat:demo' })).toMatchObject({
      summary: { clearIndex: 0 },
    })
    app.exec('alter table a2_events rename to gone')
    expect(await failureOf(client.facts())).toMatchObject({ data: { kind: 'not-a2' } })
    app.exec('alter table gone rename to a2_events')
    expect(await client.facts()).toMatchObject({ schema: '0.16' })
  })

  it('is vacuumed in the middle of the counting', async () => {
    const path = join(makeFolder(), 'big.db')
    const app = openApp(path)
    app.pragma('journal_mode = wal')
    makeBareTables(app)
    insertRows(
      app,
      Array.from({ length: 60_000 }, (_, n) => ({
        session: `s${n % 500}`,
        index: 1 + Math.floor(n / 500),
        processedAt: n % 50 === 7 ? null : 1,
        failedAt: n % 100 === 7 ? n : null,
      })),
    )
    app.exec('delete from a2_events where idx <= 40')
    const { client } = open(path)
    const early = client.sessions.view({ ...VIEW, chips: [] })
    app.exec('vacuum')
    await early
    // Of 120 events a session 80 are left; sessions 7, 107, 207 … hold dead letters, 57, 157 … only pending ones.
    const view = await until(async () => {
      const next = await viewAll(client)
      return next.chips.pending === 5 ? next : null
    }, 'all counted')
    expect(view).toMatchObject({ known: 500, chips: { dead: 5, pending: 5 } })
    expect(await client.deadLetters.view({ text: '' })).toMatchObject({ total: 400, sessions: 5 })
  })
})

describe('many at once', () => {
  it('are all answered', async () => {
    const { client } = open(copyFixture('small.db'))
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        n % 2 === 0
          ? client.events.get(DEAD).then(({ index }) => index)
          : client.sessions.find({ text: 'order', limit: 1 }).then(({ length }) => length),
      ),
    )
    expect(new Set(answers)).toEqual(new Set([1]))
  })

  it('redrive one event once', async () => {
    const { client } = open(copyFixture('small.db'))
    await client.writing.unlock()
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => client.actions.redrive({ ...DEAD, action: 'skip' })),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'already-done')).toHaveLength(9)
    const { entries } = await client.audit({ scope: 'database', beforeOffset: null, limit: 100 })
    expect(entries.filter(({ hasOutcome }) => hasOutcome)).toHaveLength(10)
  })

  it('clear one session once', async () => {
    const path = copyFixture('small.db')
    const [one, two] = [open(path), open(path)]
    await one.client.writing.unlock()
    await two.client.writing.unlock()
    const wanted = { sessionId: 'scheduler:daily', ifLastIndex: 4, createClearsTable: false }
    const outcomes = await Promise.all(
      [one, two, one, two].map(({ client }) => client.actions.clear(wanted)),
    )
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
      'already-done',
      'already-done',
      'already-done',
      'done',
    ])
    const { summary } = await one.client.sessions.get({ sessionId: 'scheduler:daily' })
    expect(summary).toMatchObject({ head: 5, clearIndex: 5 })
  })

  it('watch at the same time, each from when it began', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    const early = await listen(client)
    insertRow(app, 'one')
    await until(() => early.events().length === 1, 'the first heard')
    const late = await Promise.all(Array.from({ length: 20 }, () => listen(client)))
    insertRow(app, 'two')
    await until(() => late.every(({ events }) => events().length === 1), 'the second heard by all')
    expect(late.map(({ events }) => events()[0]?.sessionId)).toEqual(Array(20).fill('two'))
    expect(early.events().map(({ sessionId }) => sessionId)).toEqual(['one', 'two'])
  })
})

describe('values that are too much', () => {
  it('are a page of large payloads: the first ones show their beginning, all their size', async () => {
    const path = join(makeFolder(), 'many-large.db')
    const app = openApp(path)
    makeBareTables(app)
    const payload = JSON.stringify('x'.repeat(8_000_000))
    insertRows(
      app,
      [1, 2, 3, 4, 5, 6].map((index) => ({ session: 's', index, payload })),
    )
    const { client } = open(path)
    const rows = await client.events.range({ sessionId: 's', from: 1, to: 100 })
    expect(rows.map(({ payloadBytes }) => payloadBytes)).toEqual(Array(6).fill(8_000_002))
    // 32 MiB hold four payloads of 8 MB.
    const start = `"${'x'.repeat(399)}`
    expect(rows.map(({ payloadStart }) => payloadStart)).toEqual([
      start,
      start,
      start,
      start,
      '',
      '',
    ])
  })

  it('are large payloads: lists carry their size, details their beginning', async () => {
    const path = join(makeFolder(), 'large.db')
    const app = openApp(path)
    makeBareTables(app)
    const payload = JSON.stringify('x'.repeat(25_000_000))
    insertRows(app, [
      { session: 's', index: 1, payload },
      { session: 's', index: 2 },
    ])
    const { client } = open(path)
    const [row] = await client.events.range({ sessionId: 's', from: 1, to: 2 })
    expect(row).toMatchObject({ payloadBytes: 25_000_002, payloadStart: `"${'x'.repeat(399)}` })
    const { payload: part } = await client.events.get({ sessionId: 's', index: 1 })
    expect(part).toMatchObject({ totalBytes: 25_000_002, nextOffsetBytes: 262_144 })
    const last = await client.events.payload({ sessionId: 's', index: 1, offsetBytes: 25_000_000 })
    expect(last).toMatchObject({ text: 'x"', nextOffsetBytes: null })
  })

  it('are causes of any depth and lists of ids that are none', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const set = app.prepare(
      'update a2_events set cause = ?, returned_event_ids = ? where session_id = ? and idx = 1',
    )
    const { client } = open(path)
    for (const [cause, ids, expected] of [
      ['['.repeat(500_000), '{"a":1}', null],
      ['{"index":1,"attempt":1,"index":"2"}', '[1,"a",null]', ['a']],
      ['null', '[]', []],
      ['7', 'not json', null],
    ] as const) {
      set.run(cause, ids, DEAD.sessionId)
      const event = await client.events.get(DEAD)
      expect([event.cause, event.causes, event.returnedEventIds]).toEqual([null, [], expected])
    }
  })

  it('are indexes and times beyond what a number holds', async () => {
    const path = copyFixture('small.db')
    openApp(path)
      .exec(`update a2_events set created_at = 9223372036854775807, claim_expires_at = -1, attempt_count = -5
      where session_id = 'scheduler:daily' and idx = 1`)
    const { client } = open(path, { now: 0 })
    const rows = await client.events.range({ sessionId: 'scheduler:daily', from: 1, to: 4 })
    expect(rows.map(({ state }) => state)).toEqual(['expired', 'running', 'processed', 'settled'])
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })
})

function insertRow(app: Database.Database, session: string): void {
  app
    .prepare(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
      values (?, 1, 't', '{}', ?, 1)`)
    .run(session, session)
}

describe('names without end', () => {
  it('are cut in lists and whole in the details, and never taken for one another', async () => {
    const path = join(makeFolder(), 'long.db')
    const app = openApp(path)
    makeBareTables(app)
    const long = `${'x'.repeat(1999)}😀${'y'.repeat(1_000_000)}`
    const cut = `${'x'.repeat(1999)}…`
    const common = { session: 's', type: long, processedAt: null, laneReady: 0 }
    insertRows(app, [
      { ...common, index: 1, id: `${long}1`, lane: `${long}a`, laneReady: 1, failedAt: 5 },
      { ...common, index: 2, id: `${long}2`, lane: `${long}b`, laneReady: 1 },
      { ...common, index: 3, id: `${long}3`, lane: `${long}b`, cause: '{"index":1,"attempt":1}' },
      { ...common, index: 4, id: `${long}4`, lane: `${long}a` },
    ])
    app.prepare('update a2_events set claim_holder = ? where idx = 2').run(long)
    const { client } = open(path)
    await viewAll(client)
    const { events } = await listen(client)
    const rows = await client.events.range({ sessionId: 's', from: 1, to: 9 })
    expect(rows.map(({ id, type, lane }) => [id, type, lane])).toEqual(
      Array.from({ length: 4 }, () => [cut, cut, cut]),
    )
    expect(rows[1]?.claimHolder).toBe(cut)
    expect(rows.map(({ blockedBy }) => blockedBy)).toEqual([null, null, 2, 1])
    const event = await client.events.get({ sessionId: 's', index: 3 })
    expect([event.id, event.type, event.lane]).toEqual([`${long}3`, long, `${long}b`])
    expect(event.laneStanding).toMatchObject({ name: `${long}b`, headIndex: 2 })
    expect(event.causes).toMatchObject([{ event: { type: cut } }])
    const { viewId } = await client.deadLetters.view({ text: 'Ya' })
    const [letter] = await client.deadLetters.rows({ viewId, offset: 0, limit: 9 })
    expect(letter).toMatchObject({ index: 1, waitingBehind: 1, event: { type: cut, lane: cut } })
    insertRows(app, [{ ...common, index: 5 }])
    await until(() => events().length === 1, 'the new event')
    expect(events()).toEqual([{ sessionId: 's', index: 5, type: cut }])
  })
})
