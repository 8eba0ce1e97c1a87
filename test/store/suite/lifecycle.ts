import { expect, it } from 'vitest'

import { countingIds, FakeClock, indexesOf, plain, type World } from '../world.ts'

export function describeLifecycle(world: () => World): void {
  it('can be closed more than once, and answers nothing afterwards', async () => {
    const another = world().openAnother()
    await another.append('s', plain(1))
    await another.close()
    await another.close()
    await expect(another.read('s')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(another.append('s', plain(1))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })

  it('finishes what is under way before it is closed', async () => {
    const another = world().openAnother()
    const appending = ['a', 'b', 'c'].map((id) => another.append('s', [{ type: 't', id }]))
    await another.close()
    expect(await Promise.allSettled(appending)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
  })

  it('opens what another store wrote, and goes on', async () => {
    const { store, openAnother } = world()
    await store.append('s', plain(2))
    const another = openAnother()
    expect(indexesOf(await another.read('s'))).toEqual([1, 2])
    expect(indexesOf((await another.append('s', plain(1))).events)).toEqual([3])
    await another.close()
  })

  it('makes ids and times of its own when none are given', async () => {
    const { store } = world()
    const own = world().database.open({
      clock: { now: () => new Date() },
      generateId: countingIds(),
    })
    const from = Date.now()
    const { events } = await own.append('mine', [{ type: 't', id: 'mine' }])
    expect(events[0]?.createdAt.getTime()).toBeGreaterThanOrEqual(from)
    expect(events[0]?.createdAt.getTime()).toBeLessThanOrEqual(Date.now())
    await own.close()
    expect(indexesOf(await store.read('mine'))).toEqual([1])
  })

  it('tolerates tables with a column of another version', async () => {
    const { database, openAnother } = world()
    await database.execute('alter table a2_events add column brand_new text')
    await database.execute('alter table a2_snapshots add column brand_new text')
    const another = openAnother()
    await another.append('s', plain(1))
    const claimed = await another.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1 })
    expect(claimed).toMatchObject({ outcome: 'claimed', events: [{ index: 1 }] })
    await another.putSnapshots('s', 'r', [{ index: 1, state: 1 }])
    const complete = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'x', id: 'x' }] }
    expect(await another.completeAttempt(complete)).toMatchObject({ outcome: 'completed' })
    expect(await another.readState('s', 'r')).toMatchObject({ headIndex: 1 })
    expect(indexesOf(await another.read('s'))).toEqual([1, 2])
    await another.close()
  })

  it('works without the columns whose names are its own choice', async () => {
    const { database, openAnother } = world()
    await database.execute('alter table a2_events drop column last_error')
    await database.execute('alter table a2_events drop column returned_event_ids')
    const another = openAnother()
    await another.append('s', plain(2))
    await another.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1 })
    const complete = { sessionId: 's', index: 1, attempt: 1, events: [{ type: 'x', id: 'x' }] }
    const answer = await another.completeAttempt(complete)
    expect(answer).toMatchObject({ outcome: 'completed', events: [{ index: 3 }] })
    expect(await another.completeAttempt(complete)).toEqual(answer)
    const fail = { sessionId: 's', index: 2, attempt: 1, error: 'e', maxFailures: 1 }
    expect(await another.failAttempt(fail)).toEqual({ outcome: 'dead', failureCount: 1 })
    expect(await another.deadLetters('s')).toMatchObject([{ index: 2, lastError: null }])
    await another.close()
  })

  it('creates a table that is missing, and leaves the others as they are', async () => {
    const { store, database, openAnother } = world()
    await store.append('s', plain(1))
    await database.execute('drop table a2_clears')
    const another = openAnother()
    expect(await another.clear({ sessionId: 's' })).toMatchObject({ cleared: true, clearIndex: 2 })
    await another.close()
    expect(await world().dump()).toMatchObject({ clears: [{ session_id: 's', clear_index: 2 }] })
  })

  it('asks the clock it was given', async () => {
    const clock = new FakeClock()
    clock.ms = 42
    const another = world().database.open({ clock, generateId: countingIds() })
    const { events } = await another.append('s', plain(1))
    await another.close()
    expect(events[0]).toMatchObject({ id: 'id-1', createdAt: new Date(42) })
  })
}
