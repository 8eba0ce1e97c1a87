import type { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

import type { Store } from '../../src/store/store.ts'
import { type PostgresBackend, postgresBackend, type PostgresDatabase } from './backends.ts'
import { violations } from './invariants.ts'
import { countingIds, FakeClock, indexesOf, plain } from './world.ts'

/** Each race that a lock or the order of two statements guards against, forced by a connection that holds a lock. */
function describeLocks(backend: PostgresBackend): void {
  let database: PostgresDatabase
  let holder: Client
  let store: Store
  const clock = new FakeClock()

  beforeEach(async () => {
    database = await backend.makeDatabase()
    store = database.open({ clock, generateId: countingIds() })
    await store.append('s', plain(2))
    holder = await database.connect()
    await holder.query('begin')
  })
  afterEach(async () => {
    await holder.query('rollback')
    await store.close()
    expect(violations(await database.dump())).toEqual([])
    expect(await database.leaks()).toEqual([])
    await database.drop()
  })

  const claim = () => store.claimPending({ sessionId: 's', holder: 'worker', ttlMs: 1_000 })
  const complete = (index: number, attempt = 1, ...ids: string[]) =>
    store.completeAttempt({
      sessionId: 's',
      index,
      attempt,
      events: ids.map((id) => ({ type: 'made', id })),
    })
  const fail = (index: number, maxFailures = 1) =>
    store.failAttempt({ sessionId: 's', index, attempt: 1, error: 'e', maxFailures })
  const holdSession = () => holder.query("select pg_advisory_xact_lock(hashtext('s'))")
  const holdRow = (index: number) =>
    holder.query("select 1 from a2_events where session_id = 's' and idx = $1 for update", [index])
  const insert = (index: number, lane: string | null = null, isReady = true) =>
    holder.query(
      `insert into a2_events
         (session_id, idx, event_type, payload, event_id, created_at, lane, lane_ready)
       values ('s', $1::bigint, 't', 'null', 'held-' || $1, 1, $2, $3)`,
      [index, lane, isReady],
    )
  /** Clears the session by hand, with a marker at `index`. */
  const clearAt = async (index: number) => {
    await holder.query(
      `insert into a2_events
         (session_id, idx, event_type, payload, event_id, created_at, processed_at)
       values ('s', $1::bigint, 'a2.session.cleared', 'null', 'marker-' || $1, 1, 1)`,
      [index],
    )
    await holder.query("insert into a2_clears values ('s', $1)", [index])
  }
  const dropBelow = (index: number) =>
    holder.query("delete from a2_events where session_id = 's' and idx < $1", [index])
  const commit = () => holder.query('commit')

  it('append sees the index another writer took while it waited', async () => {
    await holdSession()
    const appending = store.append('s', plain(1))
    await database.untilWaiting(1)
    await insert(3)
    await commit()
    expect(indexesOf((await appending).events)).toEqual([4])
  })

  it('append sees the clear that was committed while it waited', async () => {
    await claim()
    await holdSession()
    const scheduled = store.append('s', plain(1), { originIndex: 1 })
    const caused = store.append('s', [{ type: 'a', cause: { index: 1, attempt: 1 } }])
    const named = store.append('s', [{ type: 'a', id: 'named' }], { originIndex: 1 })
    const free = store.append('s', [{ type: 'a', lane: 'l' }])
    const settled = Promise.allSettled([scheduled, caused, named, free])
    await database.untilWaiting(4)
    await clearAt(3)
    await commit()
    expect(await settled).toMatchObject([
      { status: 'rejected', reason: { code: 'SESSION_CLEARED' } },
      { status: 'rejected', reason: { code: 'SUPERSEDED_ATTEMPT' } },
      { status: 'rejected', reason: { code: 'SESSION_CLEARED' } },
      { status: 'fulfilled', value: { events: [{ index: 4 }] } },
    ])
  })

  it('append and completeAttempt see the id that another stored while they waited', async () => {
    await claim()
    await holdSession()
    const appending = store.append('s', [{ type: 't', id: 'held-3' }])
    const outcome = Promise.allSettled([
      store.append('s', [
        { type: 't', id: 'held-3' },
        { type: 't', id: 'new' },
      ]),
      complete(1, 1, 'held-3'),
    ])
    await database.untilWaiting(3)
    await insert(3)
    await commit()
    expect((await appending).events).toMatchObject([{ index: 3, id: 'held-3' }])
    expect(await outcome).toMatchObject([
      { reason: { code: 'PARTIAL_DUPLICATE_BATCH' } },
      { reason: { code: 'PARTIAL_DUPLICATE_BATCH' } },
    ])
    const { events } = await database.dump()
    expect(events.map((row) => row.processed_at)).toEqual([null, null, null])
  })

  it('append sees the claim that its cause lost while it waited for the row', async () => {
    await claim()
    await holdRow(1)
    const appending = store.append('s', [{ type: 'a', cause: { index: 1, attempt: 1 } }])
    const outcome = Promise.allSettled([appending])
    await database.untilWaiting(1)
    await holder.query('update a2_events set attempt_count = 2 where idx = 1')
    await commit()
    expect(await outcome).toMatchObject([{ reason: { code: 'SUPERSEDED_ATTEMPT' } }])
  })

  it('clear sees the event that was appended while it waited', async () => {
    await holdSession()
    const clearing = store.clear({ sessionId: 's', ifLastIndex: 2 })
    await database.untilWaiting(1)
    await insert(3)
    await commit()
    expect(await clearing).toEqual({ cleared: false, index: 3, clearIndex: 0 })
  })

  it('clear sees the same clear that another committed while it waited', async () => {
    await holdSession()
    const clearing = store.clear({ sessionId: 's', ifLastIndex: 2 })
    await database.untilWaiting(1)
    await clearAt(3)
    await commit()
    expect(await clearing).toEqual({ cleared: true, index: 3, clearIndex: 3 })
    expect((await database.dump()).events).toHaveLength(3)
  })

  it('completeAttempt sees the clear that was committed while it waited for the session', async () => {
    await claim()
    await holdSession()
    const completing = complete(1, 1, 'child')
    await database.untilWaiting(1)
    await clearAt(3)
    await commit()
    expect(await completing).toEqual({ outcome: 'superseded' })
    const { events } = await database.dump()
    expect(events.map((row) => row.processed_at !== null)).toEqual([false, false, true])
  })

  it('completeAttempt and failAttempt know a row that was cleared and deleted while they waited', async () => {
    await claim()
    await holder.query("select 1 from a2_events where session_id = 's' for update")
    const both = Promise.all([complete(1), fail(2)])
    await database.untilWaiting(2)
    await clearAt(3)
    await dropBelow(3)
    await commit()
    expect(await both).toEqual([
      { outcome: 'superseded' },
      { outcome: 'superseded', failureCount: 0 },
    ])
  })

  it('completeAttempt locks its event before the session', async () => {
    await claim()
    await holdSession()
    const completing = complete(1)
    await database.untilWaiting(1)
    const locked = await holder.query(
      "select idx from a2_events where session_id = 's' order by idx for update skip locked",
    )
    expect(locked.rows).toEqual([{ idx: '2' }])
    await commit()
    expect(await completing).toMatchObject({ outcome: 'completed' })
  })

  it('completeAttempt does not wait for the session when its attempt is over', async () => {
    await claim()
    const done = await complete(1, 1, 'child')
    await fail(2)
    await holdSession()
    expect(await complete(1, 1, 'child')).toEqual(done)
    expect(await complete(1, 2)).toEqual({ outcome: 'superseded' })
    expect(await complete(2)).toEqual({ outcome: 'superseded' })
    await commit()
  })

  it('completeAttempt sees the attempt that took over while it waited', async () => {
    await claim()
    await holdRow(1)
    const completing = complete(1)
    await database.untilWaiting(1)
    await holder.query('update a2_events set attempt_count = 2 where idx = 1')
    await commit()
    expect(await completing).toEqual({ outcome: 'superseded' })
  })

  it('skip sees the event that joined the lane while it waited', async () => {
    await store.append('s', [{ type: 'head', lane: 'l' }])
    await claim()
    await fail(3)
    await holdSession()
    await insert(4, 'l', false)
    const skipping = store.redrive({ sessionId: 's', index: 3, action: 'skip' })
    await database.untilWaiting(1)
    await commit()
    expect(await skipping).toEqual({ redriven: true, hasPending: true })
    expect((await database.dump()).events.at(-1)).toMatchObject({ idx: 4, lane_ready: true })
  })

  it('skip and retry act once when two ask for the same dead letter', async () => {
    await claim()
    await fail(1)
    await holdRow(1)
    const retries = Promise.all(
      (['retry', 'skip', 'retry'] as const).map((action) =>
        store.redrive({ sessionId: 's', index: 1, action }),
      ),
    )
    await database.untilWaiting(3)
    await commit()
    expect((await retries).filter((answer) => answer.redriven)).toHaveLength(1)
  })

  it('nothing but append, clear, complete and skip waits for the session', async () => {
    await claim()
    await holdSession()
    expect(await fail(1)).toMatchObject({ outcome: 'dead' })
    expect(await store.redrive({ sessionId: 's', index: 1, action: 'retry' })).toMatchObject({
      redriven: true,
    })
    expect(await claim()).toMatchObject({ outcome: 'claimed', events: [{ index: 1 }] })
    const renewal = {
      sessionId: 's',
      holder: 'worker',
      ttlMs: 5,
      claims: [{ index: 1, attempt: 2 }],
    }
    expect((await store.renew(renewal)).renewed).toEqual([1])
    await store.putSnapshots('s', 'r', [{ index: 1, state: 1, pinEventIndexes: [1] }])
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    expect(await store.read('s')).toHaveLength(2)
    expect(indexesOf((await store.append('another', plain(1))).events)).toEqual([1])
  })

  it('claim waits for a row and looks at it again', async () => {
    await holdRow(1)
    const claiming = claim()
    await database.untilWaiting(1)
    await holder.query('update a2_events set processed_at = 1 where idx = 1')
    await commit()
    expect(await claiming).toMatchObject({ outcome: 'claimed', events: [{ index: 2 }] })
  })

  it('a claim that waits for a clearing handler’s row passes it by', async () => {
    await claim()
    await complete(2)
    clock.advance(1_000)
    await holdRow(1)
    const clearing = store.clear({ sessionId: 's', cause: { index: 1, attempt: 1 } })
    await database.untilWaiting(1)
    const claiming = claim()
    await database.untilWaiting(2)
    await commit()
    expect(await clearing).toEqual({ cleared: true, index: 3, clearIndex: 3 })
    expect(await claiming).toEqual({ outcome: 'empty' })
    expect((await database.dump()).events[0]).toMatchObject({
      idx: 1,
      attempt_count: 1,
      lane_ready: false,
      claim_holder: null,
    })
  })

  it('reclaim deletes around rows that others hold, and never waits', async () => {
    await store.clear({ sessionId: 's' })
    await holdRow(1)
    expect(await store.reclaim('s')).toEqual({ deleted: 1, done: false })
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: false })
    await commit()
    expect(await store.reclaim('s')).toEqual({ deleted: 1, done: false })
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
  })

  it('reclaim is not done while a snapshot below the marker is held', async () => {
    await store.putSnapshots('s', 'r', [{ index: 1, state: 1 }])
    await store.putSnapshots('s', 'q', [{ index: 1, state: 1 }])
    await store.clear({ sessionId: 's' })
    await store.reclaim('s')
    await holder.query("select 1 from a2_snapshots where reducer_name = 'r' for update")
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: false })
    expect((await database.dump()).snapshots.map((row) => row.reducer_name)).toEqual(['r'])
    await commit()
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    expect((await database.dump()).snapshots).toEqual([])
  })

  it('the reuse of an id does not wait for cleared work that holds it', async () => {
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    await claim()
    await holdRow(1)
    const held = {
      code: 'STORE_UNAVAILABLE',
      message: "an event id being reused is still held by cleared work in session 's'",
    }
    await expect(store.append('s', [{ type: 'a', id: 'id-1' }])).rejects.toMatchObject(held)
    await expect(complete(4, 1, 'id-2', 'id-1')).rejects.toMatchObject(held)
    expect((await database.dump()).events).toHaveLength(4)
    await commit()
    expect(indexesOf((await store.append('s', [{ type: 'a', id: 'id-1' }])).events)).toEqual([5])
  })

  it('an append by a handler and its completion get over their deadlock', async () => {
    await claim()
    await holdSession()
    const appending = store.append('s', [{ type: 'a', cause: { index: 1, attempt: 1 } }])
    await database.untilWaiting(1)
    const completing = complete(1, 1, 'child')
    await database.untilWaiting(2)
    await commit()
    expect((await appending).events).toHaveLength(1)
    expect(await completing).toMatchObject({ outcome: 'completed' })
    expect((await database.dump()).events).toHaveLength(4)
  })

  it('a clear by a handler and its completion get over their deadlock', async () => {
    await claim()
    await holdSession()
    const clearing = store.clear({ sessionId: 's', cause: { index: 1, attempt: 1 } })
    await database.untilWaiting(1)
    const completing = complete(1)
    await database.untilWaiting(2)
    await commit()
    expect((await clearing).cleared).toBe(true)
    expect(['completed', 'superseded']).toContain((await completing).outcome)
  })

  it('putSnapshots sees the clear that was committed while it waited for its own lock', async () => {
    await holder.query("select pg_advisory_xact_lock(hashtext('s'), hashtext('r'))")
    const putting = store.putSnapshots('s', 'r', [{ index: 2, state: 2 }])
    await database.untilWaiting(1)
    await store.clear({ sessionId: 's' })
    await commit()
    await putting
    expect((await database.dump()).snapshots).toEqual([])
  })

  it('putSnapshots pins no event that was finished while it waited for the row', async () => {
    await claim()
    await holdRow(1)
    const putting = store.putSnapshots('s', 'r', [{ index: 2, state: 2, pinEventIndexes: [1, 2] }])
    await database.untilWaiting(1)
    await holder.query(
      `update a2_events set processed_at = 1, lane_ready = false, claim_holder = null,
         claim_expires_at = null where idx = 1`,
    )
    await commit()
    await putting
    expect((await database.dump()).pins.map((pin) => pin.event_index)).toEqual([2])
  })
}

for (const server of inject('postgresServers'))
  describe(`locks on ${server.name}`, () => {
    describeLocks(postgresBackend(server))
  })
