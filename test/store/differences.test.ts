import { describe, expect, inject, it } from 'vitest'

import type { PostgresStore } from '../../src/store/postgres/store.ts'
import { type PostgresDatabase, postgresBackend, sqliteBackend } from './backends.ts'
import { useWorld } from './describe-store.ts'
import { countingIds, indexesOf, plain, type World } from './world.ts'

/** Where the databases are meant to differ, each with a test of its own; all else is the same suite. */

const PLAIN_FIELDS = ['createdAt', 'id', 'index', 'payload', 'sessionId', 'type']

describe('differences: SQLite', () => {
  const world = useWorld(sqliteBackend)
  describeShared(world, 'sqlite')

  it('keeps NUL and lone surrogates in JSON, and NUL in text', async () => {
    const { store } = world()
    const payload = { '\0': '\ud800' }
    await store.append('a\0b', [{ type: '\0', payload, id: 'x\0' }])
    expect(await store.read('a\0b')).toMatchObject([{ type: '\0', id: 'x\0', payload }])
    expect(await store.read('a')).toEqual([])
  })

  it('gives whole rows in stream and readState', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    expect(await store.readState('s', 'r')).toMatchObject({ events: [{ attemptCount: 0 }] })
    for await (const event of store.stream('s')) {
      expect(event).toMatchObject({ attemptCount: 0, lane: null })
      break
    }
  })

  it('says a reclaim is done with its last batch', async () => {
    const { store } = world()
    await store.append('s', plain(300))
    await store.clear({ sessionId: 's' })
    expect(await store.reclaim('s')).toEqual({ deleted: 256, done: false })
    expect(await store.reclaim('s')).toEqual({ deleted: 44, done: true })
  })
})

for (const server of inject('postgresServers')) {
  describe(`differences: ${server.name}`, () => {
    const world = useWorld(postgresBackend(server))
    describeShared(world, 'postgres')

    it('refuses NUL and lone surrogates, and names where they are', async () => {
      const { store } = world()
      const append = (event: object) =>
        store.append('s', [{ type: 'fine' }, { type: 't', ...event }])
      const bad = [
        { payload: 'a\0' },
        { payload: { deep: [{ 'key\0': 1 }] } },
        { payload: ['\ud800'] },
        { payload: { '\udfff': 1 } },
        { id: '\0' },
        { lane: '\0' },
      ]
      for (const event of bad)
        await expect(append(event)).rejects.toMatchObject({
          code: 'UNSTORABLE_VALUE',
          message: expect.stringMatching(/of event 2 of the batch \(type 't'\) contains/) as string,
        })
      await expect(store.append('a\0b', plain(1))).rejects.toMatchObject({
        code: 'UNSTORABLE_VALUE',
      })
      await expect(store.read('a\0b')).rejects.toMatchObject({ code: 'UNSTORABLE_VALUE' })
      await expect(store.putSnapshots('s', 'r', [{ index: 1, state: '\0' }])).rejects.toMatchObject(
        { message: /the state of 'r' at 1/ },
      )
      const fine = ['\\u0000', '\\ud800', '😀', { '\\u0000': '\\' }]
      expect((await append({ payload: fine })).events[1]?.payload).toEqual(fine)
    })

    it('gives plain fields in stream, readState and readEvents', async () => {
      const { database, clock } = world()
      const store = database.open({ clock, generateId: countingIds() }) as PostgresStore
      await store.append('s', plain(2))
      const { events } = await store.readState('s', 'r')
      expect(Object.keys(events[0] ?? {}).toSorted()).toEqual(PLAIN_FIELDS)
      for await (const event of store.stream('s')) {
        expect(Object.keys(event).toSorted()).toEqual(PLAIN_FIELDS)
        break
      }
      await store.clear({ sessionId: 's' })
      const read = await store.readEvents('s', { afterIndex: 1 })
      expect(read).toMatchObject([{ index: 3, type: 'a2.session.cleared' }])
      expect(Object.keys(read[0] ?? {}).toSorted()).toEqual(PLAIN_FIELDS)
      await store.close()
    })

    it('says a reclaim is done only when nothing was left to delete', async () => {
      const { store } = world()
      await store.append('s', plain(300))
      await store.clear({ sessionId: 's' })
      expect(await store.reclaim('s')).toEqual({ deleted: 256, done: false })
      expect(await store.reclaim('s')).toEqual({ deleted: 44, done: false })
      expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    })

    it('lets a snapshot land below the marker, where no reader sees it, until the next reclaim', async () => {
      const { store, openAnother, dump } = world()
      const database = world().database as PostgresDatabase
      await store.append('s', plain(2))
      const another = openAnother()
      await another.read('s')
      const holder = await database.connect()
      await holder.query('begin')
      await holder.query('select 1 from a2_events where idx = 1 for update')
      const putting = another.putSnapshots('s', 'r', [
        { index: 1, state: 'late', pinEventIndexes: [1] },
      ])
      await database.untilWaiting(1)
      await store.clear({ sessionId: 's' })
      await store.reclaim('s')
      await holder.query('commit')
      await putting
      expect((await dump()).snapshots).toMatchObject([{ up_to_index: 1, state: 'late' }])
      expect(await store.readState('s', 'r')).toMatchObject({ headIndex: null, snapshot: null })
      while (!(await store.reclaim('s')).done);
      expect((await dump()).snapshots).toEqual([])
      await another.close()
    })

    it('lets a claim that waited return a cleared event, whose completion is refused', async () => {
      const { store, openAnother } = world()
      const database = world().database as PostgresDatabase
      await store.append('s', plain(1))
      const another = openAnother()
      await another.read('s')
      const holder = await database.connect()
      await holder.query('begin')
      await holder.query('select 1 from a2_events where idx = 1 for update')
      const claiming = another.claimPending({ sessionId: 's', holder: 'h', ttlMs: 10 })
      await database.untilWaiting(1)
      await store.clear({ sessionId: 's' })
      await holder.query('commit')
      const claimed = await claiming
      expect(claimed).toMatchObject({ outcome: 'claimed', events: [{ index: 1 }] })
      const complete = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'x', id: 'x' }] }
      expect(await store.completeAttempt(complete)).toEqual({ outcome: 'superseded' })
      await another.close()
    })
  })
}

/** The same steps, with the answer each dialect gives. */
function describeShared(world: () => World, dialect: 'sqlite' | 'postgres'): void {
  it('checks causes in its own order', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    const batch = [
      { type: 'a', cause: { index: 99, attempt: 1 } },
      { type: 'b', cause: { index: 1, attempt: 1 } },
    ]
    // SQLite goes event by event; Postgres looks for cleared causes first.
    const expected = dialect === 'sqlite' ? { name: 'TypeError' } : { code: 'SUPERSEDED_ATTEMPT' }
    await expect(store.append('s', batch)).rejects.toMatchObject(expected)
  })

  it('releases the row of a clearing handler, or leaves it', async () => {
    const { store, claim, row } = world()
    await store.append('s', plain(1))
    await claim('s')
    const before = await row('s', 1)
    await store.clear({ sessionId: 's', cause: { index: 1, attempt: 1 } })
    const released = { lane_ready: false, claim_holder: null, claim_expires_at: null }
    expect(await row('s', 1)).toEqual(dialect === 'sqlite' ? before : { ...before, ...released })
  })

  it('deletes the pins of the batch by range, or by event', async () => {
    const { store, dump } = world()
    await store.append('s', [{ type: 'a', id: 'x' }, ...plain(1)])
    // A snapshot beyond the log: its pin outlives the sweep below the marker.
    await store.putSnapshots('s', 'r', [{ index: 50, state: 1, pinEventIndexes: [1] }])
    await store.clear({ sessionId: 's' })
    await store.append('s', [{ type: 'b', id: 'x' }])
    while (!(await store.reclaim('s')).done);
    expect((await dump()).pins).toHaveLength(dialect === 'sqlite' ? 0 : 1)
  })

  it('makes a settled child of the parent’s lane ready, or not', async () => {
    const { store, claim, row } = world()
    await store.append('s', [{ type: 'a', lane: 'l' }])
    await claim('s')
    await store.completeAttempt({
      sessionId: 's',
      index: 1,
      attempt: 1,
      events: [
        { type: 'settled', id: 'x', lane: 'l', settled: true },
        { type: 'due', id: 'y', lane: 'l' },
      ],
    })
    expect((await row('s', 2)).lane_ready).toBe(dialect === 'sqlite')
    expect((await row('s', 3)).lane_ready).toBe(true)
  })

  it('takes an unknown redrive for a retry, or for a skip', async () => {
    const { store, kill, row } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    const action = 'something else' as 'retry'
    expect((await store.redrive({ sessionId: 's', index: 1, action })).redriven).toBe(true)
    const { failed_at: failedAt, processed_at: processedAt } = await row('s', 1)
    expect([failedAt === null, processedAt === null]).toEqual(
      dialect === 'sqlite' ? [true, true] : [false, false],
    )
  })

  it('takes repeated snapshots of one index in turn, or only the last', async () => {
    const { store, dump } = world()
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [
      { index: 1, state: 'first', pinEventIndexes: [1] },
      { index: 1, state: 'last', pinEventIndexes: [2] },
    ])
    expect((await dump()).snapshots[0]?.state).toBe('last')
    expect((await dump()).pins.map((pin) => pin.event_index)).toEqual(
      dialect === 'sqlite' ? [1, 2] : [2],
    )
  })

  it('lists a repeated renewal twice, or once', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    const renewal = { index: 1, attempt: 1 }
    const answer = await store.renew({
      sessionId: 's',
      holder: 'worker',
      ttlMs: 1,
      claims: [renewal, renewal],
    })
    expect(answer.renewed).toEqual(dialect === 'sqlite' ? [1, 1] : [1])
  })

  it('keeps JSON text as written, or normalizes it', async () => {
    const { store, database } = world()
    await store.append('s', plain(1))
    await database.execute(`update a2_events set payload = '{"b":1e2,"a":1,"a":2}'`)
    const [event] = await store.read('s')
    expect(JSON.stringify(event?.payload)).toBe(
      dialect === 'sqlite' ? '{"b":100,"a":2}' : '{"a":2,"b":100}',
    )
  })

  it('answers superseded for a replay whose events are gone, or calls it partial', async () => {
    const { store, claim, database } = world()
    await store.append('s', plain(1))
    await claim('s')
    const request = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'x', id: 'x' }] }
    await store.completeAttempt(request)
    await database.execute(`delete from a2_events where event_id = 'x'`)
    // Without a clear in between both call it partial; with one it is cleared before it is looked up.
    await expect(store.completeAttempt(request)).rejects.toMatchObject({
      code: 'PARTIAL_DUPLICATE_BATCH',
    })
    expect(indexesOf(await store.read('s'))).toEqual([1])
  })
}
