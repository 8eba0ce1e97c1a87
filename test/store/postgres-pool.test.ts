import { Client, Pool, types } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

import { openStore } from '../../src/store/open-store.ts'
import { postgres } from '../../src/store/postgres/store.ts'
import {
  type PostgresBackend,
  postgresBackend,
  type PostgresDatabase,
  withParameter,
} from './backends.ts'
import { countingIds, FakeClock, indexesOf, plain } from './world.ts'

function describePool(backend: PostgresBackend): void {
  let database: PostgresDatabase
  beforeEach(async () => {
    database = await backend.makeDatabase()
  })
  afterEach(async () => {
    try {
      expect(await database.leaks()).toEqual([])
    } finally {
      await database.drop()
    }
  })

  it('works through a pool of one connection, streams included, and leaves it open', async () => {
    const pool = new Pool({ connectionString: database.connectionString, max: 1 })
    const store = postgres({ pool, schema: database.schema })
    const stream = store.stream('s', { intervalMs: 5 })[Symbol.asyncIterator]()
    const next = stream.next()
    await store.append('s', [{ type: 'a', id: 'x' }, { type: 'b' }])
    await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1_000 })
    const complete = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'c', id: 'c' }] }
    expect(await store.completeAttempt(complete)).toMatchObject({ outcome: 'completed' })
    expect(await store.clear({ sessionId: 's' })).toMatchObject({ cleared: true })
    expect((await next).value).toMatchObject({ index: 1 })
    await store.close()
    await stream.next()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('leaves nothing behind in a connection', async () => {
    const pool = new Pool({ connectionString: database.connectionString, max: 1 })
    const store = postgres({ pool, schema: database.schema })
    await store.append('s', [{ type: 'a', id: 'x' }])
    await store.append('s', [{ type: 'b', id: 'x' }, { type: 'c' }]).catch(() => {})
    await store.clear({ sessionId: 's' })
    await store.close()
    const { rows } = await pool.query(`
      select (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory')
               as locks,
             (select count(*) from pg_prepared_statements) as prepared,
             (select count(*) from pg_listening_channels()) as channels,
             current_setting('search_path') as search_path`)
    expect(rows).toEqual([
      { locks: '0', prepared: '0', channels: '0', search_path: '"$user", public' },
    ])
    await pool.end()
  })

  it('does not depend on how the process reads numbers and JSON', async () => {
    const { INT8, JSONB } = types.builtins
    const [bigint, jsonb] = [types.getTypeParser(INT8), types.getTypeParser(JSONB)]
    types.setTypeParser(INT8, BigInt)
    types.setTypeParser(JSONB, (text: string) => `raw ${text}`)
    try {
      const store = database.open({ clock: new FakeClock(), generateId: countingIds() })
      await store.append('s', [{ type: 'a', payload: { x: 1 }, id: 'x' }])
      expect(await store.read('s')).toMatchObject([{ index: 1, payload: { x: 1 } }])
      await store.close()
    } finally {
      types.setTypeParser(INT8, bigint)
      types.setTypeParser(JSONB, jsonb)
    }
  })

  it('reads what was committed before each statement, whatever the default isolation', async () => {
    const isolation = '-c default_transaction_isolation=serializable'
    const store = postgres({
      connectionString: withParameter(database.connectionString, 'options', isolation),
      schema: database.schema,
    })
    await store.append('s', plain(1))
    const holder = await database.connect()
    await holder.query('begin')
    await holder.query("select pg_advisory_xact_lock(hashtext('s'))")
    const appending = store.append('s', plain(1), { originIndex: 1 })
    const outcome = Promise.allSettled([appending])
    await database.untilWaiting(1)
    await holder.query(
      `insert into a2_events (session_id, idx, event_type, event_id, created_at, processed_at)
       values ('s', 2, 'a2.session.cleared', 'm', 1, 1)`,
    )
    await holder.query("insert into a2_clears values ('s', 2)")
    await holder.query('commit')
    expect(await outcome).toMatchObject([{ reason: { code: 'SESSION_CLEARED' } }])
    await store.close()
  })

  it('runs again on a serialization failure, with the ids it had made, but not for ever', async () => {
    const store = database.open({ clock: new FakeClock(), generateId: countingIds() })
    await store.append('s', plain(1))
    await database.execute(`
      create sequence tries;
      create function fail_at_first() returns trigger language plpgsql as $$
      begin
        if new.event_type = 'always' or nextval('${database.schema}.tries') <= 3 then
          raise exception 'again' using errcode = '40001';
        end if;
        return new;
      end $$;
      create trigger fail before insert on a2_events for each row execute function fail_at_first()`)
    const { events } = await store.append('s', plain(2))
    expect(events.map((event) => event.id)).toEqual(['id-2', 'id-3'])
    expect(await store.read('s')).toMatchObject([{ id: 'id-1' }, { id: 'id-2' }, { id: 'id-3' }])
    await expect(store.append('s', [{ type: 'always' }])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      cause: { code: '40001' },
    })
    await store.close()
  })

  it('goes on without prepared statements where they get lost', async () => {
    const store = database.open({ clock: new FakeClock(), generateId: countingIds() })
    await store.append('s', plain(1))
    // As behind a proxy that gives every transaction another connection.
    await database.execute(`
      create function forget() returns trigger language plpgsql as $$
      begin
        execute 'deallocate all';
        return new;
      end $$;
      create trigger forget before insert on a2_events for each row execute function forget()`)
    for (let index = 2; index <= 6; index += 1)
      expect(indexesOf((await store.append('s', plain(1))).events)).toEqual([index])
    expect(await store.read('s')).toHaveLength(6)
    await store.close()
  })

  it('takes any name as the schema', async () => {
    const schema = `odd "name" ${database.schema}`
    const { connectionString } = database
    const store = postgres({ connectionString, schema })
    await store.append('s', plain(1))
    expect(await store.readState('s', 'r')).toMatchObject({ events: [{ index: 1 }] })
    await store.close()
    const url = withParameter(connectionString, 'schema', schema)
    const again = openStore(url)
    expect(indexesOf(await again.read('s'))).toEqual([1])
    await again.close()
    await database.execute(`drop schema "odd ""name"" ${database.schema}" cascade`)
  })

  it('follows the search path when no schema is given', async () => {
    await database.execute(`create schema ${database.schema}`)
    const path = `-c search_path=${database.schema}`
    const store = postgres({
      connectionString: withParameter(database.connectionString, 'options', path),
    })
    await store.append('s', plain(1))
    await store.close()
    expect((await database.dump()).events).toHaveLength(1)
  })

  it('lets many stores open an empty database at once', async () => {
    const stores = Array.from({ length: 6 }, (_, n) => {
      const generateId = countingIds()
      return database.open({ clock: new FakeClock(), generateId: () => `${n}-${generateId()}` })
    })
    await Promise.all(stores.map((store) => store.append('s', plain(1))))
    expect((await database.dump()).events.map((row) => row.idx)).toEqual([1, 2, 3, 4, 5, 6])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('works for a role that may not create anything', async () => {
    const store = database.open({ clock: new FakeClock(), generateId: countingIds() })
    await store.append('s', plain(1))
    await store.close()
    const role = `${database.schema}_role`
    await database.execute(`
      create role ${role} login;
      grant usage on schema ${database.schema} to ${role};
      grant select, insert, update, delete on all tables in schema ${database.schema} to ${role}`)
    const url = new URL(database.connectionString)
    url.username = role
    const limited = postgres({ connectionString: url.href, schema: database.schema })
    expect(indexesOf((await limited.append('s', plain(1))).events)).toEqual([2])
    await limited.close()
    await database.execute(`drop owned by ${role}; drop role ${role}`)
  })

  it('survives the loss of its connections, and says so to whom it concerns', async () => {
    const store = database.open({ clock: new FakeClock(), generateId: countingIds() })
    await store.append('s', plain(1))
    const stream = store.stream('s', { intervalMs: 5 })[Symbol.asyncIterator]()
    await stream.next()
    const holder = await database.connect()
    await holder.query("begin; select pg_advisory_xact_lock(hashtext('s'))")
    const appending = store.append('s', plain(1))
    const outcome = Promise.allSettled([appending])
    await database.untilWaiting(1)
    await holder.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = '${database.schema}'`,
    )
    expect(await outcome).toMatchObject([{ reason: { code: 'STORE_UNAVAILABLE' } }])
    await holder.query('commit')
    await stream.return?.()
    for (let tries = 0; ; tries += 1) {
      // Idle connections may be found dead only when they are used.
      const answer = await store.append('s', [{ type: 'a', id: 'after' }]).catch(() => undefined)
      if (answer !== undefined) break
      expect(tries).toBeLessThan(10)
    }
    expect(indexesOf(await store.read('s'))).toEqual([1, 2])
    await store.close()
  })

  it('wakes a stream by a hint long before it would look by itself', async () => {
    const [store, another] = [1, 2].map(() =>
      database.open({ clock: new FakeClock(), generateId: countingIds() }),
    ) as [ReturnType<PostgresDatabase['open']>, ReturnType<PostgresDatabase['open']>]
    const stream = store.stream('s', { intervalMs: 60_000 })[Symbol.asyncIterator]()
    const next = stream.next()
    const client = await database.connect()
    await untilListening(client, database.schema)
    await another.append('s', plain(1))
    expect((await next).value).toMatchObject({ index: 1 })
    await stream.return?.()
    await store.close()
    await another.close()
  })

  it('says who has an id that another session took at the same moment', async () => {
    const other = await database.connect()
    const store = postgres({
      connectionString: database.connectionString,
      schema: database.schema,
    })
    const [cause] = (await store.append('s', plain(1))).events
    await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1_000 })
    const child = (id: string) => ({ type: 'child', id, cause: { index: 1, attempt: 1 } })
    const attempts: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => store.append('s', [{ type: 'a', id: 'taken' }]), 'EVENT_ID_CONFLICT'],
      [() => store.append('s', [{ type: 'a' }, child('taken')]), 'EVENT_ID_CONFLICT'],
      [
        () =>
          store.completeAttempt({
            sessionId: 's',
            index: 1,
            attempt: 1,
            events: [{ type: 'c', id: 'taken' }],
          }),
        'PARTIAL_DUPLICATE_BATCH',
      ],
    ]
    for (const [attempt, code] of attempts) {
      await other.query(`begin; insert into a2_events
        (session_id, idx, event_type, payload, event_id, created_at, lane_ready)
        values ('other', 1, 'b', 'null', 'taken', 1, true)`)
      const failure = attempt().then(
        () => 'none',
        (error: { code: string }) => error.code,
      )
      await database.untilWaiting(1)
      await other.query('commit')
      expect(await failure).toBe(code)
      await other.query("delete from a2_events where session_id = 'other'")
    }
    const { rows } = await other.query('select idx, event_id, processed_at from a2_events')
    expect(rows).toEqual([{ idx: expect.anything(), event_id: cause?.id, processed_at: null }])
    await store.close()
  })

  it('says STORE_UNAVAILABLE when there is no server, and tries anew with the next call', async () => {
    const store = postgres({ connectionString: 'postgres://postgres@127.0.0.1:1/none' })
    await expect(store.read('s')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(store.append('s', plain(1))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await store.close()
  })
}

async function untilListening(client: Client, name: string): Promise<void> {
  for (let looks = 0; looks < 500; looks += 1) {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
        where application_name = $1 and query like 'listen%' and state = 'idle'`,
      [name],
    )
    if (rows.length > 0) return
  }
  throw new Error('nobody listens')
}

for (const server of inject('postgresServers'))
  describe(`connections to ${server.name}`, () => {
    describePool(postgresBackend(server))
  })
