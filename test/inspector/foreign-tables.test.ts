import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { copyFixture, failureOf, makeFolder, open, until, viewAll } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const at = (sessionId: string, index: number) => ({ sessionId, index })

function makeOwn(fill: (app: Database.Database) => void): string {
  const path = join(makeFolder(), 'own.db')
  const app = openApp(path)
  fill(app)
  return path
}

describe('tables that are not ours', () => {
  it.each(['', 'strict', 'without rowid', 'strict, without rowid'])(
    'are read with required columns only: %s',
    async (options) => {
      const path = makeOwn((app) => {
        makeBareTables(app, options)
        insertRows(app, [
          { session: 'one', index: 1, lane: 'l', processedAt: null, failedAt: 7, failures: 1 },
          { session: 'one', index: 2, lane: 'l', processedAt: null, laneReady: 0 },
          { session: 'one', index: 3, lane: 'l', processedAt: null, laneReady: 0 },
          { session: 'one', index: 4, processedAt: null, claimExpiresAt: 10, attempts: 1 },
          { session: 'two', index: 1 },
          { session: 'two', index: 2, type: 'own.marker', payload: 'null' },
          { session: 'two', index: 3, processedAt: null },
        ])
        app.exec("insert into a2_clears values ('two', 2)")
      })
      const { client } = open(path, { now: 5 })
      const view = await viewAll(client)
      expect(view).toMatchObject({
        total: 2,
        chips: { dead: 1, pending: 2, running: 1, blocked: 1, cleared: 1 },
      })
      const rows = await client.events.range({ sessionId: 'one', from: 1, to: 9 })
      expect(rows.map(({ state, blockedBy }) => [state, blockedBy])).toEqual([
        ['dead', null],
        ['blocked', 1],
        ['blocked', 1],
        ['running', null],
      ])
      expect((await client.events.get(at('one', 2))).laneStanding).toEqual({
        name: 'l',
        headIndex: 1,
        waitingBehind: 1,
        isWaitingBehindLowerBound: false,
      })
      expect(await client.facts()).toMatchObject({
        markerType: 'own.marker',
        isMarkerTypeLearned: true,
        hasWorkIndex: false,
        missingColumns: ['a2_events.last_error', 'a2_events.returned_event_ids'],
      })
      const { lifetimes, summary } = await client.sessions.get({ sessionId: 'two' })
      expect(summary.work).toMatchObject({ ready: 1 })
      expect(lifetimes.map(({ from, to }) => [from, to])).toEqual([
        [3, 3],
        [1, 1],
      ])
      expect(await client.snapshots.list({ sessionId: 'one' })).toMatchObject({
        isSupported: false,
        reducers: [],
      })
      expect(await client.presence()).toMatchObject({ isSupported: false, rows: [] })
      const dead = await client.deadLetters.view({ text: 'THING' })
      expect(dead).toMatchObject({ total: 1, isComplete: true })
      expect(await client.events.locate({ eventId: 'two#3' })).toEqual(at('two', 3))
      expect(await client.events.locate({ eventId: 'nobody' })).toBe(null)
    },
  )

  it('show columns nobody knows without losing a digit', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      app.exec(`alter table a2_events add column "weird "" name"`)
      app.exec('alter table a2_events add column big integer')
      app.exec('alter table a2_events add column real real')
      app.exec('alter table a2_events add column zero real')
      app.exec('alter table a2_events add column huge real')
      app.exec('alter table a2_events add column bytes blob')
      app.exec('alter table a2_events add column absent text')
      app.exec(
        'alter table a2_events add column twice integer generated always as (idx * 2) virtual',
      )
      insertRows(app, [{ session: 's', index: 1 }])
      app
        .prepare(`update a2_events set "weird "" name" = ?, big = 9007199254740993, real = 0.1, zero = -0.0,
          huge = 9e999, bytes = ?`)
        .run(`a\u0000${'é'.repeat(5000)}`, Buffer.alloc(100, 0xab))
    })
    const { client } = open(path)
    const { unknownColumns } = await client.events.get(at('s', 1))
    expect(unknownColumns.map(({ name, storage, bytes }) => [name, storage, bytes])).toEqual([
      ['weird " name', 'text', 10_002],
      ['big', 'integer', 16],
      ['real', 'real', 3],
      ['zero', 'real', 3],
      ['huge', 'real', 3],
      ['bytes', 'blob', 100],
      ['absent', 'null', null],
      ['twice', 'integer', 1],
    ])
    expect(unknownColumns.map(({ text }) => text?.slice(0, 20))).toEqual([
      `a\u0000${'é'.repeat(18)}`,
      '9007199254740993',
      '0.1',
      '0.0',
      'Inf',
      'ab'.repeat(10),
      undefined,
      '2',
    ])
    expect(unknownColumns[0]?.text).toHaveLength(4000)
    expect((await client.facts()).unknownColumns).toContain('a2_events.weird " name')
  })

  it('are found whatever the case of their names', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      app.exec('alter table a2_events rename to other')
      app.exec('alter table other rename to A2_Events')
      app.exec('alter table A2_Events rename column session_id to Session_ID')
      app.exec('create table A2_Other (id integer)')
      app.exec('create table "a2_more stuff" (id integer)')
      app.exec('create table a2x (id integer)')
      app
        .prepare(
          "insert into a2_events (session_id, idx, event_type, payload, event_id, created_at) values ('s', 1, 't', '{}', 'e', 1)",
        )
        .run()
    })
    const { client } = open(path)
    expect(await viewAll(client)).toMatchObject({ total: 1 })
    const facts = await client.facts()
    expect(facts.unknownTables.toSorted()).toEqual(['A2_Other', 'a2_more stuff'])
    expect(facts.unknownColumns).toEqual([])
  })

  it('are read whatever the case of their columns, also those that only some screens ask for', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 3 }])
      app.exec(`drop table if exists a2_snapshots; drop table if exists a2_snapshot_pins; drop table if exists a2_presence;
        create table a2_snapshots (SESSION_ID text, Reducer_Name text, Up_To_Index integer, State text, Updated_At integer);
        create table a2_snapshot_pins (Session_Id text, Event_Index integer, Reducer_Name text, Up_To_Index integer);
        create table a2_presence (NS text, Participant text, Joined_At integer);
        insert into a2_snapshots values ('s', 'totals', 2, '{}', 7);
        insert into a2_snapshot_pins values ('s', 3, 'totals', 2);
        insert into a2_presence values ('room', 'ann', 5)`)
    })
    const { client } = open(path)
    expect((await client.snapshots.list({ sessionId: 's' })).reducers).toMatchObject([
      { name: 'totals', head: { upToIndex: 2, bytes: 2, updatedAt: 7, pinnedBy: [3] } },
    ])
    expect((await client.presence()).rows).toMatchObject([
      { namespace: 'room', participant: 'ann', joinedAt: 5, updatedAt: null },
    ])
  })

  it('may have a column named rowid', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      const sql = app.prepare<[], { sql: string }>(
        "select sql from sqlite_schema where name = 'a2_events'",
      )
      const own = sql.get()?.sql.replace('(', "(rowid text default 'mine', ") ?? ''
      app.exec(`drop table a2_events; ${own}`)
      insertRows(app, [{ session: 's', index: 1, processedAt: null, failedAt: 1 }])
    })
    const { client } = open(path)
    expect(await viewAll(client)).toMatchObject({ chips: { dead: 1 } })
    expect((await client.events.get(at('s', 1))).unknownColumns).toMatchObject([{ text: 'mine' }])
  })

  it('may hold values of any kind where others are expected', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1 }])
      app.exec(`update a2_events set created_at = 'yesterday', cause = '[1]', lane = x'00ff', lane_ready = 'x',
        processed_at = 'done', attempt_count = 'many', failure_count = 2.5, event_type = 12, payload = x'7b7d'`)
      app.exec("insert into a2_clears values ('s', 'nothing')")
    })
    const { client } = open(path)
    await viewAll(client)
    const event = await client.events.get(at('s', 1))
    expect(event).toMatchObject({
      createdAt: null,
      cause: null,
      type: '12',
      attemptCount: 0,
      failureCount: 2.5,
    })
    expect(event.payload).toMatchObject({ text: '{}', storage: 'blob', totalBytes: 2 })
    expect((await client.sessions.get({ sessionId: 's' })).summary.clearIndex).toBe(0)
  })

  it('may name sessions by what is no text: only texts are listed', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      const columns = app.prepare("select name from pragma_table_info('a2_events')").pluck().all()
      app.exec(`drop table a2_events;
        create table a2_events (${columns.join(', ')}, primary key (session_id, idx))`)
      insertRows(app, [
        { session: 's', index: 1, processedAt: null },
        { session: '', index: 1 },
      ])
      const rest = columns.slice(2).join(', ')
      for (const key of ['5, 1', '5.5, 1', "x'73', 1", 'null, 1'])
        app.exec(`insert into a2_events (session_id, idx, ${rest})
          select ${key}, ${rest} from a2_events where session_id = ''`)
    })
    const { client } = open(path)
    const { viewId, total } = await viewAll(client, { sort: 'id', direction: 'asc' })
    const rows = await client.sessions.rows({ viewId, offset: 0, limit: 9 })
    expect([total, rows.map((row) => row?.id)]).toEqual([2, ['', 's']])
    expect(await client.sessions.find({ text: 's', limit: 9 })).toEqual(['s'])
    const app = openApp(path)
    insertRows(app, [{ session: '0', index: 1 }])
    const next = await until(async () => {
      const view = await viewAll(client, { sort: 'id', direction: 'asc' })
      return view.total === 3 ? view : null
    }, 'the new session')
    const listed = await client.sessions.rows({ viewId: next.viewId, offset: 0, limit: 9 })
    expect(listed.map((row) => row?.id)).toEqual(['', '0', 's'])
  })

  it('may hold a clear index below zero or a head that is no number: they count as none', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1, processedAt: null }])
      insertRows(app, [{ session: 'x', index: 1, processedAt: null }])
      app.exec("insert into a2_clears values ('s', -5)")
      app.exec("update a2_events set idx = 'no number' where session_id = 'x'")
    })
    const { client } = open(path)
    await viewAll(client)
    const { summary, lifetimes } = await client.sessions.get({ sessionId: 's' })
    expect(summary).toMatchObject({ head: 1, clearIndex: 0, live: 1, lifetimes: { count: 1 } })
    expect(lifetimes).toMatchObject([{ number: 1, from: 1, to: 1, stored: 1 }])
    expect(await client.actions.previewClear({ sessionId: 's' })).toMatchObject({ live: 1 })
    expect(await client.snapshots.list({ sessionId: 'x' })).toMatchObject({ sessionHead: 0 })
  })

  it('may be encoded in UTF-16', async () => {
    const payload = JSON.stringify({ text: `${'ß'.repeat(200_000)}😀`, n: 1 })
    const path = join(makeFolder(), 'utf16.db')
    const app = new Database(path)
    app.pragma("encoding = 'UTF-16le'")
    makeBareTables(app)
    insertRows(app, [
      { session: 'größe 😀', index: 1, payload },
      { session: 'z', index: 1 },
    ])
    app.close()
    const { client } = open(path)
    const view = await viewAll(client, { sort: 'id', direction: 'asc' })
    const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 9 })
    expect(rows.map((row) => row?.id)).toEqual(['größe 😀', 'z'])
    let part = (await client.events.get(at('größe 😀', 1))).payload
    let text = part.text
    while (part.nextOffsetBytes !== null) {
      part = await client.events.payload({
        ...at('größe 😀', 1),
        offsetBytes: part.nextOffsetBytes,
      })
      text += part.text
    }
    expect(text).toBe(payload)
    const [row] = await client.events.range({ sessionId: 'größe 😀', from: 1, to: 1 })
    expect(row?.payloadStart).toBe(payload.slice(0, 400))
  })

  it('keep their old events when the clear index is higher than the head', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [
        { session: 's', index: 1 },
        { session: 's', index: 2, processedAt: null, failedAt: 3 },
      ])
      app.exec("insert into a2_clears values ('s', 9), ('never seen', 4)")
    })
    const { client } = open(path)
    expect(await viewAll(client)).toMatchObject({ known: 1, chips: { dead: 0, cleared: 1 } })
    const rows = await client.events.range({ sessionId: 's', from: 1, to: 9 })
    expect(rows.map(({ state, clearedAs }) => [state, clearedAs])).toEqual([
      ['cleared', 'settled'],
      ['cleared', 'dead'],
    ])
    const { summary, lifetimes } = await client.sessions.get({ sessionId: 's' })
    expect(summary).toMatchObject({ live: 0, toReclaim: { count: 2 } })
    expect(lifetimes.map(({ from, to, stored }) => [from, to, stored])).toEqual([
      [10, 2, 0],
      [1, 8, 2],
    ])
    expect(await failureOf(client.sessions.get({ sessionId: 'never seen' }))).toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('may have holes below the marker', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      const rows = Array.from({ length: 9999 }, (_, n) => ({ session: 's', index: n + 1 }))
      insertRows(app, [
        ...rows,
        { session: 's', index: 10_000, type: 'a2.session.cleared', payload: 'null' },
      ])
      app.exec("update a2_events set event_type = 'a2.session.cleared' where idx in (5, 5000)")
      app.exec(
        'delete from a2_events where idx in (1, 3, 4097, 4098, 9999) or idx between 6000 and 8500',
      )
      app.exec("insert into a2_clears values ('s', 10000)")
    })
    const { client } = open(path)
    const { lifetimes, summary } = await client.sessions.get({ sessionId: 's' })
    expect(lifetimes.map(({ from, to, stored, gone }) => [from, to, stored, gone])).toEqual([
      [10_001, 10_000, 0, []],
      [
        5001,
        9999,
        4999 - 2502,
        [
          { from: 6000, to: 8500 },
          { from: 9999, to: 9999 },
        ],
      ],
      [6, 4999, 4994 - 2, [{ from: 4097, to: 4098 }]],
      [
        1,
        4,
        2,
        [
          { from: 1, to: 1 },
          { from: 3, to: 3 },
        ],
      ],
    ])
    expect(summary.toReclaim).toEqual({ count: 9999 - 5 - 2501, isLowerBound: false })
  })
})

describe('long texts', () => {
  const long = (size: number): string => JSON.stringify({ emoji: '😀é€a'.repeat(size) })

  it.each([10, 20_000, 200_000])('come in parts that end between characters: %i', async (size) => {
    const payload = long(size)
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1, payload }])
    })
    const { client } = open(path)
    let part = (await client.events.get(at('s', 1))).payload
    const parts = [part]
    while (part.nextOffsetBytes !== null) {
      part = await client.events.payload({ ...at('s', 1), offsetBytes: part.nextOffsetBytes })
      parts.push(part)
    }
    expect(parts.map(({ text }) => text).join('')).toBe(payload)
    expect(parts.every(({ hasInvalidUtf8 }) => !hasInvalidUtf8)).toBe(true)
    const limits = parts.map(
      ({ text }, n) => Buffer.byteLength(text) <= (n === 0 ? 262_144 : 1_048_576),
    )
    expect(limits.every(Boolean)).toBe(true)
    expect(part.totalBytes).toBe(Buffer.byteLength(payload))
  })

  it('show where the bytes are no text, and keep a NUL', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1 }])
      app
        .prepare('update a2_events set payload = cast(? as text)')
        .run(Buffer.from('"a\u0000b\xff"', 'latin1'))
    })
    const { client } = open(path)
    const { payload, payloadStart } = await client.events.get(at('s', 1))
    expect(payload).toMatchObject({ text: '"a\u0000b\ufffd"', hasInvalidUtf8: true, totalBytes: 6 })
    expect(payloadStart).toBe('"a\u0000b\ufffd"')
  })

  it('keep their numbers digit by digit', async () => {
    const payload = '{"n":1005254182451511297, "x":1e400, "z":-0, "n":0.10}'
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1, payload }])
    })
    const { client } = open(path)
    expect((await client.events.get(at('s', 1))).payload.text).toBe(payload)
  })

  it('end where they end: an offset beyond gives an empty last part', async () => {
    const { client } = open(copyFixture('small.db'))
    const part = await client.events.payload({ ...at('scheduler:daily', 4), offsetBytes: 1000 })
    expect(part).toEqual({
      text: '',
      offsetBytes: 1000,
      nextOffsetBytes: null,
      totalBytes: 4,
      hasInvalidUtf8: false,
      storage: 'text',
    })
  })

  it('are cut to 400 characters in lists, never inside one', async () => {
    const payload = '😀'.repeat(1000)
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [{ session: 's', index: 1, payload }])
    })
    const [row] = await open(path).client.events.range({ sessionId: 's', from: 1, to: 1 })
    expect(row?.payloadStart).toBe('😀'.repeat(400))
    expect(row?.payloadBytes).toBe(4000)
  })
})

describe('one event', () => {
  it('names its causes and its effects', async () => {
    const { client } = open(copyFixture('small.db'))
    const { causes } = await client.events.get(at('support:ticket-48213', 12))
    expect(causes).toMatchObject([
      { index: 7, attempt: 1, event: { index: 7, type: 'tool.called' } },
      { index: 5, attempt: 1, event: { type: 'llm.requested' } },
      { index: 1, attempt: 1, event: { type: 'chat.message' } },
    ])
    const { effects, effectsThroughIndex } = await client.events.get(at('support:ticket-48213', 5))
    expect(effects.map(({ index, type, state, attempt }) => [index, type, state, attempt])).toEqual(
      [
        [7, 'tool.called', 'processed', 1],
        [8, 'llm.usage', 'settled', 1],
      ],
    )
    expect(effectsThroughIndex).toBe(12)
  })

  it('does not run in circles, and says when a cause is gone', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(app, [
        { session: 's', index: 2, cause: '{"index":2,"attempt":1}' },
        { session: 's', index: 3, cause: '{"index":1,"attempt":4}' },
        { session: 's', index: 4, cause: '{"index":"1"}' },
        { session: 's', index: 5, cause: '{broken' },
        { session: 's', index: 6, cause: `{"index":1e300,"attempt":-1}` },
      ])
    })
    const { client } = open(path)
    expect((await client.events.get(at('s', 2))).causes).toHaveLength(20)
    expect((await client.events.get(at('s', 3))).causes).toEqual([
      { index: 1, attempt: 4, event: null },
    ])
    expect((await client.events.get(at('s', 4))).causes).toEqual([])
    expect((await client.events.get(at('s', 5))).causes).toEqual([])
    expect((await client.events.get(at('s', 6))).causes).toMatchObject([{ event: null }])
  })

  it('is not found when it is not stored', async () => {
    const { client } = open(copyFixture('small.db'))
    for (const key of [
      at('chat:demo', 1),
      at('no such', 1),
      at('chat:demo', Number.MAX_SAFE_INTEGER),
    ]) {
      expect(await failureOf(client.events.get(key))).toEqual({
        code: 'NOT_FOUND',
        data: { what: 'event' },
      })
    }
    const state = { sessionId: 'chat:demo', reducer: 'x', upToIndex: 1, offsetBytes: 0 }
    for (const source of ['head', 'history'] as const) {
      const failure = await failureOf(client.snapshots.state({ ...state, source }))
      expect(failure).toEqual({ code: 'NOT_FOUND', data: { what: 'snapshot' } })
    }
  })

  it('keeps every range bounded', async () => {
    const path = makeOwn((app) => {
      makeBareTables(app)
      insertRows(
        app,
        Array.from({ length: 1200 }, (_, n) => ({ session: 's', index: n + 1 })),
      )
    })
    const { client } = open(path)
    const rows = await client.events.range({
      sessionId: 's',
      from: 101,
      to: Number.MAX_SAFE_INTEGER,
    })
    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 500 }, (_, n) => 101 + n))
    expect(await client.events.range({ sessionId: 's', from: 9, to: 3 })).toEqual([])
  })
})
