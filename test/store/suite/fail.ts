import { expect, it } from 'vitest'

import { indexesOf, plain, START_MS, type World } from '../world.ts'

export function describeFail(world: () => World): void {
  const fail = (index: number, attempt: number, maxFailures = 2, error = 'broken') =>
    world().store.failAttempt({ sessionId: 's', index, attempt, error, maxFailures })

  it('counts failures until the event is a dead letter', async () => {
    const { store, row, claim, clock } = world()
    await store.append('s', plain(1))
    await claim('s')
    expect(await fail(1, 1, 2, 'first')).toEqual({ outcome: 'retry', failureCount: 1 })
    expect(await row('s', 1)).toMatchObject({
      failure_count: 1,
      failed_at: null,
      last_error: 'first',
      claim_holder: null,
      claim_expires_at: null,
      processed_at: null,
      attempt_count: 1,
    })
    expect(await store.deadLetters('s')).toEqual([])
    clock.advance(3)
    expect(await claim('s')).toEqual([1])
    expect(await fail(1, 2, 2, 'second')).toEqual({ outcome: 'dead', failureCount: 2 })
    expect(await row('s', 1)).toMatchObject({
      failure_count: 2,
      failed_at: START_MS + 3,
      last_error: 'second',
      processed_at: null,
    })
    expect(indexesOf(await store.deadLetters('s'))).toEqual([1])
    expect(await claim('s')).toEqual([])
  })

  it('leaves the lane of a dead letter blocked', async () => {
    const { store, kill, row, claim } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
    ])
    await kill('s', 1)
    expect((await row('s', 1)).lane_ready).toBe(true)
    expect(await claim('s')).toEqual([])
    await store.append('s', [{ type: 'c', lane: 'l' }])
    expect(await claim('s')).toEqual([])
  })

  it('is superseded with the count as it is when the attempt is not the latest, or over', async () => {
    const { store, claim, clock, dump } = world()
    await store.append('s', plain(2))
    await claim('s')
    await fail(1, 1)
    clock.advance(10_000)
    await claim('s')
    const before = await dump()
    expect(await fail(1, 1)).toEqual({ outcome: 'superseded', failureCount: 1 })
    expect(await fail(1, 3)).toEqual({ outcome: 'superseded', failureCount: 1 })
    expect(await dump()).toEqual(before)
    await fail(1, 2)
    expect(await fail(1, 2)).toEqual({ outcome: 'superseded', failureCount: 2 })
    await store.completeAttempt({ sessionId: 's', index: 2, attempt: 2, events: [] })
    expect(await fail(2, 2)).toEqual({ outcome: 'superseded', failureCount: 0 })
  })

  it('counts the same attempt twice when it is told twice', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    expect(await fail(1, 1, 3)).toEqual({ outcome: 'retry', failureCount: 1 })
    expect(await fail(1, 1, 3)).toEqual({ outcome: 'retry', failureCount: 2 })
  })

  it('is superseded when cleared, whether or not the row is there', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    await fail(1, 1)
    await store.clear({ sessionId: 's' })
    const superseded = { outcome: 'superseded', failureCount: 0 }
    for (const index of [0, 1, 2]) expect(await fail(index, 1)).toEqual(superseded)
    while (!(await store.reclaim('s')).done);
    expect(await fail(1, 1)).toEqual(superseded)
  })

  it('knows no event that never was', async () => {
    await expect(fail(3, 1)).rejects.toThrow(new TypeError("no event at index 3 in session 's'"))
  })

  it('releases the pins of a dead letter, not those of one that is tried again', async () => {
    const { store, claim, dump } = world()
    await store.append('s', plain(1))
    await claim('s')
    await store.putSnapshots('s', 'r', [
      { index: 0, state: 0, pinEventIndexes: [1] },
      { index: 1, state: 1 },
    ])
    await fail(1, 1)
    expect((await dump()).pins).toHaveLength(1)
    expect((await dump()).history).toHaveLength(1)
    await claim('s')
    await fail(1, 2)
    expect((await dump()).pins).toEqual([])
    expect((await dump()).history).toEqual([])
  })

  it('lists live dead letters by index, each session by itself', async () => {
    const { store, kill } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    await store.append('s', plain(1))
    await kill('s', 2)
    await store.append('other', plain(1))
    expect(await store.deadLetters('s')).toMatchObject([
      { index: 1, failureCount: 1, lastError: 'broken', failedAt: new Date(START_MS) },
      { index: 2 },
    ])
    expect(await store.deadLetters('other')).toEqual([])
    await store.clear({ sessionId: 's' })
    expect(await store.deadLetters('s')).toEqual([])
  })
}
