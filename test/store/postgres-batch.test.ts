import { Client, Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

import { sendBatch } from '../../src/store/postgres/batch.ts'
import { postgres } from '../../src/store/postgres/store.ts'
import { TYPES } from '../../src/store/postgres/types.ts'
import { startFakePooler } from '../postgres-connect/support/fake-pooler.ts'
import { findPgbouncer, startPgbouncer } from '../postgres-connect/support/pgbouncer.ts'
import { type PostgresBackend, postgresBackend, type PostgresDatabase } from './backends.ts'
import { indexesOf, plain } from './world.ts'

function describeBatches(backend: PostgresBackend): void {
  let database: PostgresDatabase
  let client: Client
  beforeEach(async () => {
    database = await backend.makeDatabase()
    client = await database.connect()
    await client.query(`create schema ${database.schema}; create table written (value text)`)
  })
  afterEach(() => database.drop())

  const send = (...statements: readonly [sql: string, params?: unknown[], name?: string][]) =>
    sendBatch(
      client,
      statements.map(([sql, params = [], name]) => ({ sql, params, name })),
      TYPES,
    )

  it('answers the rows of each statement', async () => {
    expect(
      await send(
        ['begin'],
        ['select $1::bigint as n union all select 2', [1]],
        ["insert into written values ('a')"],
        ['select count(*) as n from written'],
        ['commit'],
      ),
    ).toEqual([[], [{ n: 1 }, { n: 2 }], [], [{ n: 1 }], []])
  })

  it('runs nothing behind a statement that failed, and not outside of a transaction either', async () => {
    const failing = send(
      ['begin isolation level nonsense'],
      ["insert into written values ('a')"],
      ['commit'],
    )
    await expect(failing).rejects.toMatchObject({ code: '42601' })
    expect(await send(['select * from written'])).toEqual([[]])
  })

  it('prepares a statement again when it does not know whether it is there', async () => {
    const insert = 'insert into written values ($1::text)'
    const failing = send([insert, ['a'], 'kept'], ['select 1 / $1::int', [0], 'failed'])
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    for (let times = 0; times < 2; times += 1) {
      await send([insert, ['b'], 'kept'], [insert, ['c'], 'kept'])
      expect(await send(['select 4 / $1::int as n', [2], 'failed'])).toEqual([[{ n: 2 }]])
    }
    const names = 'select name from pg_prepared_statements order by name'
    expect(await send([names])).toEqual([[{ name: 'failed' }, { name: 'kept' }]])
    expect(await send(['select value from written order by value'])).toEqual([
      ['b', 'b', 'c', 'c'].map((value) => ({ value })),
    ])
  })

  it('sends every element of a list as it is', async () => {
    const list = ['', 'NULL', null, 'a"b', String.raw`\"\\`, '{,}', ' é\n']
    const [rows] = await send(['select unnest($1::text[]) as value', [list]])
    expect(rows?.map((row) => row['value'])).toEqual(list)
    expect(
      await send(['select $1::bigint[] = array[1, 2, null]::bigint[] as same', [[1, 2, null]]]),
    ).toEqual([[{ same: true }]])
  })

  it('refuses a parameter it cannot send, and goes on', async () => {
    await expect(send(['select $1', [{}]])).rejects.toThrow(TypeError)
    expect(await send(['select 1 as one'])).toEqual([[{ one: 1 }]])
  })
}

const pgbouncer = findPgbouncer()
const poolers = [
  { name: 'a stand-in', start: (port: number) => startFakePooler(port, 'ignores') },
  ...(pgbouncer === undefined
    ? []
    : [{ name: 'PgBouncer', start: (port: number) => startPgbouncer(pgbouncer, port, 'ignores') }]),
]

/** An append, and the completion of what it appended. */
async function appendAndComplete(store: ReturnType<typeof postgres>, id: string): Promise<void> {
  const { events } = await store.append('s', [{ type: 'a', id, lane: 'l' }])
  const [index = 0] = indexesOf(events)
  await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 60_000 })
  const child = { type: 'b', id: `${id}-child`, settled: true }
  const completion = { sessionId: 's', index, attempt: 1, events: [child] }
  expect(await store.completeAttempt(completion)).toMatchObject({ events: [{ index: index + 1 }] })
}

function describeRoundTrips(backend: PostgresBackend, connectionString: string): void {
  let database: PostgresDatabase
  beforeEach(async () => {
    database = await backend.makeDatabase()
  })
  afterEach(() => database.drop())

  it('appends and completes in one round trip each', async () => {
    let trips = 0
    const pool = new Pool({ connectionString, max: 1 })
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      client.query = ((...given: unknown[]) => {
        // What it tells its streams is nobody's wait.
        if (!(given[0] as { text: string }).text.includes('pg_notify')) trips += 1
        return query(...given)
      }) as typeof client.query
    })
    const store = postgres({ pool, schema: database.schema })
    await store.append('s', plain(2))
    const claim = { sessionId: 's', holder: 'h', ttlMs: 60_000 }
    await store.claimPending(claim)
    const tripsOf = async (run: () => Promise<unknown>): Promise<number> => {
      const before = trips
      await run()
      return trips - before
    }
    const completion = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'b', id: 'c' }] }
    expect({
      withoutId: await tripsOf(() => store.append('s', plain(3))),
      withIds: await tripsOf(() => store.append('s', [{ type: 'a', id: 'x' }])),
      withOrigin: await tripsOf(() =>
        store.append('s', [{ type: 'a', id: 'y' }], { originIndex: 1 }),
      ),
      completion: await tripsOf(() => store.completeAttempt(completion)),
    }).toEqual({ withoutId: 1, withIds: 1, withOrigin: 1, completion: 1 })
    await store.close()
    await pool.end()
  })

  it.each(poolers)('works through $name in transaction mode', async ({ start }) => {
    const pooler = await start(Number(new URL(connectionString).port))
    try {
      const url = new URL(connectionString)
      url.port = String(pooler.port)
      const pool = new Pool({ connectionString: url.href, max: 3 })
      const store = postgres({ pool, schema: database.schema })
      for (const id of ['x', 'y', 'z']) await appendAndComplete(store, id)
      const appends = Array.from({ length: 9 }, () => store.append('s', plain(2)))
      const indexes = (await Promise.all(appends)).flatMap(({ events }) => indexesOf(events))
      expect(indexes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, n) => 7 + n))
      await store.close()
      await pool.end()
    } finally {
      await pooler.stop()
    }
  })
}

for (const server of inject('postgresServers')) {
  describe(`batches to ${server.name}`, () => {
    describeBatches(postgresBackend(server))
  })
  describe(`round trips to ${server.name}`, () => {
    describeRoundTrips(postgresBackend(server), server.connectionString)
  })
}
