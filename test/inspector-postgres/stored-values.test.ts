import { describe, expect, it } from 'vitest'

import { failureOf, openDatabase, until, viewAll } from '../inspector/support/open.ts'
import { gateTo, makeSchema } from './support/database.ts'
import { insertRows } from './support/rows.ts'

async function openEmpty() {
  const schema = await makeSchema()
  const gate = await gateTo(schema)
  return { schema, app: await schema.connect(), ...openDatabase({ postgres: gate }) }
}

describe('values of Postgres', () => {
  it('keeps every digit of a number, and its own spelling of JSON', async () => {
    const { client, app } = await openEmpty()
    await insertRows(app, [{ session: 's', index: 1 }])
    await app.query(
      `update a2_events set payload = '{"b":1005254182451511297,"a":-0.10,"e":1e30,"t":"\\u00e9\ud83d\ude00"}'`,
    )
    const text =
      '{"a": -0.10, "b": 1005254182451511297, "e": 1000000000000000000000000000000, "t": "é😀"}'
    const [row] = await client.events.range({ sessionId: 's', from: 1, to: 1 })
    expect(row?.payloadStart).toBe(text)
    expect((await client.events.get({ sessionId: 's', index: 1 })).payload.text).toBe(text)
  })

  it('tells an absent payload from a JSON null', async () => {
    const { client, app } = await openEmpty()
    await insertRows(app, [
      { session: 's', index: 1 },
      { session: 's', index: 2, payload: 'null' },
    ])
    await app.query('update a2_events set payload = null where idx = 1')
    const rows = await client.events.range({ sessionId: 's', from: 1, to: 2 })
    expect(rows.map(({ payloadStart, payloadBytes }) => [payloadStart, payloadBytes])).toEqual([
      ['', null],
      ['null', 4],
    ])
    expect((await client.events.get({ sessionId: 's', index: 1 })).payload).toMatchObject({
      text: '',
      totalBytes: 0,
      storage: 'null',
    })
  })

  it('leaves a large payload alone in lists, and reads it in parts, cut between characters', async () => {
    const { client, app } = await openEmpty()
    await insertRows(app, [{ session: 's', index: 1 }])
    await app.query(
      `update a2_events set payload = to_jsonb((select string_agg(md5(n::text) || '€😀', '') from generate_series(1, 60000) n))`,
    )
    const [row] = await client.events.range({ sessionId: 's', from: 1, to: 1 })
    expect(row).toMatchObject({ payloadStart: '', isPayloadLarge: true })
    expect(row?.payloadBytes).toBeGreaterThan(100_000)
    const { rows } = await app.query<{ text: string }>(
      'select payload::text as text from a2_events',
    )
    const whole = rows[0]?.text ?? ''
    const { payload, isPayloadLarge } = await client.events.get({ sessionId: 's', index: 1 })
    expect(isPayloadLarge).toBeUndefined()
    expect(payload.totalBytes).toBe(Buffer.byteLength(whole))
    let text = payload.text
    let next = payload.nextOffsetBytes
    while (next !== null) {
      // oxlint-disable-next-line no-await-in-loop -- part after part
      const part = await client.events.payload({ sessionId: 's', index: 1, offsetBytes: next })
      text += part.text
      next = part.nextOffsetBytes
    }
    expect(text).toBe(whole)
  })

  it('shows columns it does not know as the server spells them', async () => {
    const { client, app } = await openEmpty()
    await insertRows(app, [{ session: 's', index: 1 }])
    await app.query(`
      alter table a2_events add "Odd ""name" numeric default 12345678901234567890.000100;
      alter table a2_events add bytes bytea default '\\x00ff';
      alter table a2_events add nothing text;
      alter table a2_events add big text default repeat('x', 5000);
      create table a2_outbox (n integer)`)
    const facts = await until(async () => {
      const found = await client.facts()
      return found.unknownColumns.length === 4 ? found : null
    }, 'the columns seen')
    expect(facts.unknownTables).toEqual(['a2_outbox'])
    const { unknownColumns } = await client.events.get({ sessionId: 's', index: 1 })
    expect(unknownColumns).toMatchObject([
      { name: 'Odd "name', storage: 'numeric', text: '12345678901234567890.000100' },
      { name: 'bytes', storage: 'bytea', text: '\\x00ff' },
      { name: 'nothing', storage: 'null', text: null, bytes: null },
      { name: 'big', storage: 'text', text: 'x'.repeat(4000) },
    ])
  })

  it('lists every session once, in whatever order the database has', async () => {
    const { client, app } = await openEmpty()
    await app.query('alter table a2_events alter session_id type text collate "und-x-icu"')
    const ids = Array.from({ length: 700 }, (_, n) => `${'aAbB-_ éÉ'.charAt(n % 9)}${n * 7919}`)
    await insertRows(
      app,
      [...ids, "'; --", '', 'שלום', '\\', '%'].map((session) => ({ session, index: 1 })),
    )
    const view = await viewAll(client, { sort: 'id', direction: 'asc' })
    expect(view).toMatchObject({ known: 705, total: 705 })
    const pages = await Promise.all(
      [0, 200, 400, 600].map((offset) =>
        client.sessions.rows({ viewId: view.viewId, offset, limit: 200 }),
      ),
    )
    const listed = pages.flat().map((row) => row?.id)
    const { rows } = await app.query<{ session_id: string }>(
      'select session_id from a2_events order by session_id',
    )
    expect(listed).toEqual(rows.map(({ session_id }) => session_id))
  })

  it('judges leases by the clock of the database, not of this machine', async () => {
    const { client, app } = await openEmpty()
    await insertRows(app, [{ session: 's', index: 1, processedAt: null, attempts: 1 }])
    const claim = (ms: number) =>
      app.query(
        'update a2_events set claim_expires_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + $1',
        [ms],
      )
    const stateOf = async () => (await client.events.get({ sessionId: 's', index: 1 })).state
    await claim(60_000)
    expect(await stateOf()).toBe('running')
    await claim(-1)
    expect(await stateOf()).toBe('expired')
    const facts = await client.facts()
    expect(Math.abs(facts.dialect === 'postgres' ? facts.clockDifferenceMs : 1e9)).toBeLessThan(500)
  })
})

describe('tables of Postgres', () => {
  it('without a column that is needed are named', async () => {
    const { client, app } = await openEmpty()
    await app.query('alter table a2_events drop column lane_ready')
    expect(await failureOf(client.events.range({ sessionId: 's', from: 1, to: 2 }))).toMatchObject({
      data: { kind: 'column-missing', code: 'a2_events.lane_ready' },
    })
  })

  it('in another schema are named', async () => {
    const schema = await makeSchema()
    const empty = `empty_of_${schema.name}`
    const app = await schema.connect()
    await app.query(`create schema ${empty}`)
    const { client } = openDatabase({
      postgres: await gateTo({ server: schema.server, name: empty }),
    })
    const { data } = await failureOf(client.facts())
    expect(data).toMatchObject({ kind: 'no-a2-tables' })
    expect((data as { detail: string }).detail).toContain(schema.name)
    await app.query(`drop schema ${empty}`)
  })

  it('that get the table of clears later are read with it soon', async () => {
    const { client, app } = await openEmpty()
    await app.query('drop table a2_clears')
    await insertRows(app, [
      { session: 's', index: 1, processedAt: null },
      { session: 's', index: 2, type: 'a2.session.cleared', payload: 'null' },
    ])
    expect(await client.facts()).toMatchObject({ schema: '0.16' })
    await app.query(
      "create table a2_clears (session_id text primary key, clear_index bigint not null); insert into a2_clears values ('s', 2)",
    )
    const cleared = await until(async () => {
      const [first] = await client.events.range({ sessionId: 's', from: 1, to: 1 })
      return first?.state === 'cleared' ? first : null
    }, 'the marker heeded')
    expect(cleared.clearedAs).toBe('abandoned')
  })

  it('never analysed have no estimate; analysed ones one that is near', async () => {
    const { client, app } = await openEmpty()
    await insertRows(
      app,
      Array.from({ length: 3000 }, (_, n) => ({
        session: 's',
        index: n + 1,
        processedAt: n % 10 === 0 ? null : 1,
      })),
    )
    expect(await client.facts()).toMatchObject({ estimatedEvents: null, estimatedUnfinished: null })
    await app.query('analyze a2_events')
    const facts = await client.facts()
    expect(facts).toMatchObject({
      estimatedEvents: 3000,
      estimatedUnfinished: 300,
      schemaName: expect.any(String) as string,
    })
  })
})
