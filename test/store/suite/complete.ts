import { expect, it } from 'vitest'

import { idsOf, indexesOf, plain, START_MS, type World } from '../world.ts'

export function describeComplete(world: () => World): void {
  const complete = (index: number, attempt: number, ...ids: string[]) =>
    world().store.completeAttempt({
      sessionId: 's',
      index,
      attempt,
      events: ids.map((id) => ({ type: `made-${id}`, id })),
    })
  const superseded = { outcome: 'superseded' }

  it('marks the event processed and appends what it returned', async () => {
    const { store, row, claim, clock } = world()
    await store.append('s', [{ type: 'a', lane: 'l' }])
    await claim('s')
    clock.advance(7)
    const answer = await store.completeAttempt({
      sessionId: 's',
      index: 1,
      attempt: 1,
      events: [
        { type: 'b', id: 'b', payload: [2], lane: 'm' },
        { type: 'c', id: 'c', settled: true },
      ],
    })
    expect(answer).toMatchObject({
      outcome: 'completed',
      events: [
        { index: 2, id: 'b', payload: [2], lane: 'm', processedAt: null },
        { index: 3, id: 'c', payload: null, processedAt: new Date(START_MS + 7) },
      ],
    })
    const { events } = answer as Extract<typeof answer, { outcome: 'completed' }>
    expect(events.map((event) => event.cause)).toEqual([
      { index: 1, attempt: 1 },
      { index: 1, attempt: 1 },
    ])
    expect((await store.read('s')).slice(1)).toEqual(events)
    expect(await row('s', 1)).toMatchObject({
      processed_at: START_MS + 7,
      lane_ready: false,
      claim_holder: null,
      claim_expires_at: null,
      attempt_count: 1,
      returned_event_ids: ['b', 'c'],
    })
  })

  it('makes the next event of its lane ready, past settled ones', async () => {
    const { store, row, claim } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l', settled: true },
      { type: 'c', lane: 'm' },
      { type: 'd', lane: 'l' },
      { type: 'e', lane: 'l' },
    ])
    await claim('s')
    await complete(1, 1)
    expect((await row('s', 4)).lane_ready).toBe(true)
    expect((await row('s', 5)).lane_ready).toBe(false)
    expect(await claim('s')).toEqual([4])
  })

  it('queues a returned event of the same lane behind the one that waits, or makes it ready', async () => {
    const { store, row, claim } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
      { type: 'c', lane: 'm' },
    ])
    await claim('s')
    const returning = (index: number, lane: string) =>
      store.completeAttempt({
        sessionId: 's',
        index,
        attempt: 1,
        events: [{ type: 'next', id: `next-${index}`, lane }],
      })
    await returning(1, 'l')
    expect([(await row('s', 2)).lane_ready, (await row('s', 4)).lane_ready]).toEqual([true, false])
    await returning(3, 'm')
    expect((await row('s', 5)).lane_ready).toBe(true)
  })

  it('does not unblock the lane of a former lifetime', async () => {
    const { store, row, claim } = world()
    await store.append('s', [{ type: 'old', lane: 'l' }])
    await store.clear({ sessionId: 's' })
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
    ])
    await claim('s')
    await complete(3, 1)
    expect((await row('s', 4)).lane_ready).toBe(true)
  })

  it('gives the same answer again, and changes nothing (B9)', async () => {
    const { store, dump, claim, clock } = world()
    await store.append('s', plain(2))
    await claim('s')
    const first = await complete(1, 1, 'x', 'y')
    await complete(2, 1)
    const before = await dump()
    clock.advance(1)
    expect(await complete(1, 1, 'x', 'y')).toEqual(first)
    const backwards = await complete(1, 1, 'y', 'x')
    expect(backwards.outcome === 'completed' && idsOf(backwards.events)).toEqual(['y', 'x'])
    expect(await complete(2, 1)).toEqual({ outcome: 'completed', events: [] })
    expect(await dump()).toEqual(before)
  })

  it('gives the same answer after what it returned was worked on', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    await complete(1, 1, 'x')
    await claim('s')
    await store.completeAttempt({ sessionId: 's', index: 2, attempt: 1, events: [] })
    expect(await complete(1, 1, 'x')).toMatchObject({
      outcome: 'completed',
      events: [{ id: 'x', attemptCount: 1, processedAt: new Date(START_MS) }],
    })
  })

  it('refuses other returned events than the first time', async () => {
    const { store, claim } = world()
    await store.append('s', [{ type: 'a' }, { type: 'b', id: 'alien' }])
    await claim('s')
    await complete(1, 1, 'x', 'y')
    const partial = { code: 'PARTIAL_DUPLICATE_BATCH' }
    await expect(complete(1, 1, 'x')).rejects.toMatchObject(partial)
    await expect(complete(1, 1)).rejects.toMatchObject(partial)
    await expect(complete(1, 1, 'x', 'z')).rejects.toMatchObject(partial)
    await expect(complete(1, 1, 'x', 'alien')).rejects.toMatchObject(partial)
    await expect(complete(1, 1, 'x', 'y', 'z')).rejects.toMatchObject(partial)
  })

  it('refuses ids that are taken, here or in another session', async () => {
    const { store, claim } = world()
    await store.append('s', [{ type: 'a', id: 'mine' }])
    await store.append('other', [{ type: 'a', id: 'theirs' }])
    await claim('s')
    for (const id of ['mine', 'theirs'])
      await expect(complete(1, 1, 'free', id)).rejects.toMatchObject({
        code: 'PARTIAL_DUPLICATE_BATCH',
        message: 'returned event batch contains an already-appended event id',
      })
    expect((await world().row('s', 1)).processed_at).toBeNull()
  })

  it('reuses ids of cleared events of this session', async () => {
    const { store, claim, dump } = world()
    await store.append('s', [{ type: 'a', id: 'x' }])
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    await claim('s')
    const answer = await complete(3, 1, 'x')
    expect(answer.outcome === 'completed' && indexesOf(answer.events)).toEqual([4])
    expect((await dump()).events.map((row) => row.idx)).toEqual([2, 3, 4])
  })

  it('refuses a batch that names an id twice', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    await expect(complete(1, 1, 'x', 'x')).rejects.toMatchObject({ code: 'DUPLICATE_EVENT_ID' })
  })

  it('is superseded when another attempt has taken over', async () => {
    const { store, claim, clock, dump } = world()
    await store.append('s', plain(1))
    await claim('s')
    clock.advance(10_000)
    await claim('s')
    const before = await dump()
    expect(await complete(1, 1, 'x')).toEqual(superseded)
    expect(await complete(1, 3, 'x')).toEqual(superseded)
    expect(await dump()).toEqual(before)
    expect(await complete(1, 2, 'x')).toMatchObject({ outcome: 'completed' })
    expect(await complete(1, 1, 'x')).toEqual(superseded)
  })

  it('still completes when its claim ran out and nobody took it', async () => {
    const { store, claim, clock } = world()
    await store.append('s', plain(1))
    await claim('s')
    clock.advance(60_000)
    expect(await complete(1, 1)).toMatchObject({ outcome: 'completed' })
  })

  it('is superseded for a dead letter, a skipped and a settled event', async () => {
    const { store, kill } = world()
    await store.append('s', [{ type: 'a' }, { type: 'b', settled: true }])
    await kill('s', 1)
    expect(await complete(1, 1)).toEqual(superseded)
    await store.redrive({ sessionId: 's', index: 1, action: 'skip' })
    expect(await complete(1, 1)).toEqual(superseded)
    expect(await complete(2, 0)).toEqual(superseded)
  })

  it('is superseded when cleared, whether or not the row is there', async () => {
    const { store, claim } = world()
    await store.append('s', plain(2))
    await claim('s')
    await complete(1, 1, 'x')
    await store.clear({ sessionId: 's' })
    for (const index of [0, 1, 2, 3, 4]) expect(await complete(index, 1, 'y')).toEqual(superseded)
    while (!(await store.reclaim('s')).done);
    expect(await complete(1, 1, 'x')).toEqual(superseded)
  })

  it('knows no event that never was', async () => {
    const { store } = world()
    await expect(complete(1, 1)).rejects.toThrow(
      new TypeError("no event at index 1 in session 's'"),
    )
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    await expect(complete(3, 1)).rejects.toBeInstanceOf(TypeError)
    expect(await complete(0, 1)).toEqual(superseded)
  })

  it('drops its pins, and with them the history nobody needs', async () => {
    const { store, claim, dump } = world()
    await store.append('s', plain(3))
    await claim('s')
    await store.putSnapshots('s', 'r', [
      { index: 1, state: 1, pinEventIndexes: [1, 2] },
      { index: 2, state: 2, pinEventIndexes: [1] },
      { index: 3, state: 3 },
    ])
    expect((await dump()).history.map((row) => row.up_to_index)).toEqual([1, 2])
    await complete(1, 1)
    expect((await dump()).history.map((row) => row.up_to_index)).toEqual([1])
    expect((await dump()).pins).toEqual([
      { session_id: 's', event_index: 2, reducer_name: 'r', up_to_index: 1 },
    ])
    await complete(2, 1)
    expect((await dump()).history).toEqual([])
    expect((await dump()).snapshots).toMatchObject([{ up_to_index: 3, state: 3 }])
  })
}
