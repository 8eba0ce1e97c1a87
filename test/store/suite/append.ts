import { expect, it } from 'vitest'

import { indexesOf, idsOf, plain, START_MS, type World } from '../world.ts'

export function describeAppend(world: () => World): void {
  it('numbers events from 1 and answers them as stored', async () => {
    const { store } = world()
    const answer = await store.append('s', [
      { type: 'a', payload: { x: [1, null, 'é'] }, id: 'own', lane: 'l' },
      { type: 'b' },
      { type: 'c', payload: 0, settled: true },
    ])
    const common = {
      sessionId: 's',
      createdAt: new Date(START_MS),
      cause: null,
      processedAt: null,
      attemptCount: 0,
      failureCount: 0,
      failedAt: null,
      lastError: null,
      claimHolder: null,
      claimExpiresAt: null,
    }
    expect(answer).toEqual({
      events: [
        { ...common, index: 1, id: 'own', type: 'a', payload: { x: [1, null, 'é'] }, lane: 'l' },
        { ...common, index: 2, id: 'id-1', type: 'b', payload: null, lane: null },
        {
          ...common,
          index: 3,
          id: 'id-2',
          type: 'c',
          payload: 0,
          lane: null,
          processedAt: new Date(START_MS),
        },
      ],
      hasPending: true,
    })
    expect(await store.read('s')).toEqual(answer.events)
  })

  it('writes every column', async () => {
    const { store, row } = world()
    await store.append('s', [{ type: 'a', payload: [1], lane: 'l', id: 'x' }])
    expect(await row('s', 1)).toEqual({
      session_id: 's',
      idx: 1,
      event_type: 'a',
      payload: [1],
      event_id: 'x',
      created_at: START_MS,
      cause: null,
      lane: 'l',
      lane_ready: true,
      processed_at: null,
      attempt_count: 0,
      failure_count: 0,
      failed_at: null,
      last_error: null,
      returned_event_ids: null,
      claim_holder: null,
      claim_expires_at: null,
    })
  })

  it('continues at the head, each session by itself', async () => {
    const { store, clock } = world()
    await store.append('s', plain(2))
    clock.advance(5)
    const { events } = await store.append('s', plain(1))
    expect(indexesOf(events)).toEqual([3])
    expect(events[0]?.createdAt).toEqual(new Date(START_MS + 5))
    expect(indexesOf((await store.append('other', plain(1))).events)).toEqual([1])
  })

  it('answers an empty list without a check of anything', async () => {
    const { store } = world()
    expect(await store.append('s', [])).toEqual({ events: [], hasPending: false })
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    expect(await store.append('s', [], { originIndex: 1 })).toEqual({
      events: [],
      hasPending: false,
    })
  })

  it('says pending when anything live is unfinished, dead letters included', async () => {
    const { store, kill } = world()
    expect((await store.append('s', [{ type: 'a', settled: true }])).hasPending).toBe(false)
    expect((await store.append('s', plain(1))).hasPending).toBe(true)
    await kill('s', 2)
    expect((await store.append('s', [{ type: 'a', settled: true }])).hasPending).toBe(true)
    await store.clear({ sessionId: 's' })
    expect((await store.append('s', [{ type: 'a', settled: true }])).hasPending).toBe(false)
  })

  it('makes only the first unfinished event of a lane ready, within one batch too', async () => {
    const { store, dump } = world()
    await store.append('s', [
      { type: 'a', lane: 'l', settled: true },
      { type: 'b', lane: 'l' },
      { type: 'c', lane: 'l' },
      { type: 'd', lane: 'm' },
      { type: 'e', lane: '' },
      { type: 'f', lane: '' },
    ])
    const ready = (await dump()).events.map((row) => row.lane_ready)
    expect(ready).toEqual([true, true, false, true, true, false])
  })

  it('lets a lane of before the clear not block a new event', async () => {
    const { store, row } = world()
    await store.append('s', [{ type: 'a', lane: 'l' }])
    await store.clear({ sessionId: 's' })
    await store.append('s', [
      { type: 'b', lane: 'l' },
      { type: 'c', lane: 'l' },
    ])
    expect((await row('s', 3)).lane_ready).toBe(true)
    expect((await row('s', 4)).lane_ready).toBe(false)
  })

  it('refuses a batch that names an id twice', async () => {
    const { store } = world()
    const batch = [
      { type: 'a', id: 'x' },
      { type: 'b', id: 'x' },
    ]
    await expect(store.append('s', batch)).rejects.toMatchObject({ code: 'DUPLICATE_EVENT_ID' })
  })

  it('answers a repeated batch from what is stored, in the order asked (B9)', async () => {
    const { store, dump, clock } = world()
    const batch = ['x', 'y', 'z'].map((id) => ({ type: id, id }))
    const first = await store.append('s', batch)
    const before = await dump()
    clock.advance(1)
    expect(await store.append('s', batch)).toEqual(first)
    const backwards = await store.append('s', batch.toReversed())
    expect(idsOf(backwards.events)).toEqual(['z', 'y', 'x'])
    const otherContent = await store.append('s', [{ type: 'q', payload: 1, id: 'x' }])
    expect(otherContent.events[0]?.type).toBe('x')
    expect(await dump()).toEqual(before)
  })

  it('answers a repeated batch before it looks at fences', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    const batch = [{ type: 'a', id: 'x', cause: { index: 1, attempt: 1 } }]
    await store.append('s', batch)
    world().clock.advance(10_000)
    await claim('s')
    const again = await store.append('s', batch, { originIndex: 0 })
    expect(again.events).toMatchObject([{ index: 2, id: 'x', attemptCount: 1 }])
  })

  it('refuses a batch of which a part is stored', async () => {
    const { store } = world()
    await store.append('s', [{ type: 'a', id: 'x' }])
    const partial = { code: 'PARTIAL_DUPLICATE_BATCH' }
    await expect(
      store.append('s', [
        { type: 'a', id: 'x' },
        { type: 'b', id: 'y' },
      ]),
    ).rejects.toMatchObject(partial)
    await expect(store.append('s', [{ type: 'a', id: 'x' }, { type: 'b' }])).rejects.toMatchObject(
      partial,
    )
  })

  it('refuses an id of another session, cleared or not, until it is reclaimed', async () => {
    const { store } = world()
    await store.append('other', [{ type: 'a', id: 'x' }])
    const append = () => store.append('s', [{ type: 'b', id: 'x' }])
    await expect(append()).rejects.toMatchObject({ code: 'EVENT_ID_CONFLICT' })
    await store.clear({ sessionId: 'other' })
    await expect(append()).rejects.toMatchObject({ code: 'EVENT_ID_CONFLICT' })
    await store.reclaim('other')
    expect(indexesOf((await append()).events)).toEqual([1])
  })

  it('frees the ids of cleared events at once, but not the one of the marker (B10)', async () => {
    const { store, dump } = world()
    await store.append('s', [
      { type: 'a', id: 'x' },
      { type: 'b', id: 'y' },
    ])
    await store.clear({ sessionId: 's' })
    const { events } = await store.append('s', [{ type: 'c', id: 'x' }])
    expect(indexesOf(events)).toEqual([4])
    expect((await dump()).events.map((row) => row.idx)).toEqual([2, 3, 4])
    const marker = await store.append('s', [{ type: 'd', id: 'id-1' }])
    expect(marker.events[0]).toMatchObject({ index: 3, type: 'a2.session.cleared' })
  })

  it('refuses scheduled work whose origin was cleared, and does not ask whether it exists', async () => {
    const { store } = world()
    expect((await store.append('s', plain(1), { originIndex: 99 })).hasPending).toBe(true)
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    for (const originIndex of [1, 2, 3])
      await expect(store.append('s', plain(1), { originIndex })).rejects.toMatchObject({
        code: 'SESSION_CLEARED',
        message: `scheduled work from event ${originIndex} was cleared in session 's'`,
      })
    expect(indexesOf((await store.append('s', plain(1), { originIndex: 4 })).events)).toEqual([4])
    await expect(store.append('new', plain(1), { originIndex: 0 })).rejects.toMatchObject({
      code: 'SESSION_CLEARED',
    })
  })

  it('accepts a cause only from the latest attempt', async () => {
    const { store, clock, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    const by = (attempt: number) => [{ type: 'a', cause: { index: 1, attempt } }]
    const { events } = await store.append('s', by(1))
    expect(events[0]?.cause).toEqual({ index: 1, attempt: 1 })
    clock.advance(10_000)
    expect(await claim('s')).toEqual([1, 2])
    await expect(store.append('s', by(1))).rejects.toMatchObject({
      code: 'SUPERSEDED_ATTEMPT',
      message: "attempt 1 no longer owns event 1 in session 's'",
    })
    await expect(store.append('s', by(3))).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
    expect(indexesOf((await store.append('s', by(2))).events)).toEqual([3])
  })

  it('accepts the latest attempt after it completed, but not after it failed for good', async () => {
    const { store, claim } = world()
    await store.append('s', plain(2))
    await claim('s')
    await store.completeAttempt({ sessionId: 's', index: 1, attempt: 1, events: [] })
    await store.append('s', [{ type: 'late', cause: { index: 1, attempt: 1 } }])
    const fail = { sessionId: 's', index: 2, attempt: 1, error: 'e' }
    await store.failAttempt({ ...fail, maxFailures: 2 })
    const late = [{ type: 'late', cause: { index: 2, attempt: 1 } }]
    await store.append('s', late)
    await claim('s')
    await store.failAttempt({ ...fail, attempt: 2, maxFailures: 2 })
    await expect(
      store.append('s', [{ type: 'late', cause: { index: 2, attempt: 2 } }]),
    ).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
    await store.redrive({ sessionId: 's', index: 2, action: 'retry' })
    // A retry leaves the attempt count alone: the dead attempt is the latest one again.
    await store.append('s', [{ type: 'late', cause: { index: 2, attempt: 2 } }])
  })

  it('knows no cause that never was, and takes an index of 0 or less for a cleared one', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    const by = (index: number, attempt = 1) => [{ type: 'a', cause: { index, attempt } }]
    await expect(store.append('s', by(9))).rejects.toThrow(
      new TypeError("no event at index 9 in session 's'"),
    )
    for (const index of [0, -1])
      await expect(store.append('s', by(index))).rejects.toMatchObject({
        code: 'SUPERSEDED_ATTEMPT',
      })
    // An event nobody claimed is at attempt 0.
    expect(indexesOf((await store.append('s', by(1, 0))).events)).toEqual([2])
  })

  it('takes every cause of a cleared event for superseded, the marker included', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    await store.clear({ sessionId: 's' })
    for (const index of [1, 2])
      await expect(
        store.append('s', [{ type: 'a', cause: { index, attempt: 1 } }]),
      ).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('refuses the whole batch for one bad cause', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    const batch = [{ type: 'fine' }, { type: 'bad', cause: { index: 1, attempt: 7 } }]
    await expect(store.append('s', batch)).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('stores a caller’s event of the marker’s type like any other', async () => {
    const { store, claim } = world()
    await store.append('s', [{ type: 'a2.session.cleared', payload: { mine: true } }])
    expect(await claim('s')).toEqual([1])
  })
}
