import { expect, it } from 'vitest'

import { indexesOf, plain, START_MS, type World } from '../world.ts'

export function describeClaim(world: () => World): void {
  it('claims all that is due and gives the rows as they are then', async () => {
    const { store } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
      { type: 'c' },
      { type: 'd', settled: true },
    ])
    const answer = await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 100 })
    expect(answer).toMatchObject({
      outcome: 'claimed',
      events: [
        { index: 1, attemptCount: 1, claimHolder: 'h', claimExpiresAt: new Date(START_MS + 100) },
        { index: 3, attemptCount: 1, claimHolder: 'h', claimExpiresAt: new Date(START_MS + 100) },
      ],
    })
  })

  it('takes an absolute end of the claim', async () => {
    const { store, row } = world()
    await store.append('s', plain(1))
    await store.claimPending({ sessionId: 's', holder: 'h', expiresAtMs: START_MS + 7 })
    expect((await row('s', 1)).claim_expires_at).toBe(START_MS + 7)
  })

  it('refuses a lease whose end is no moment, and leaves the event to others', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    const ask = { sessionId: 's', holder: 'h' }
    const claims = [{ index: 1, attempt: 1 }]
    const leases = [Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 60].flatMap((ms) => [
      { ttlMs: ms },
      { expiresAtMs: ms },
    ])
    const isTypeError = { name: 'TypeError' }
    for (const lease of leases)
      await expect(store.claimPending({ ...ask, ...lease })).rejects.toMatchObject(isTypeError)
    expect(await store.claimPending({ ...ask, ttlMs: 100 })).toMatchObject({
      events: [{ index: 1, attemptCount: 1, claimExpiresAt: new Date(START_MS + 100) }],
    })
    for (const lease of leases) {
      await expect(store.renew({ ...ask, claims, ...lease })).rejects.toMatchObject(isTypeError)
      const presence = { ns: 'n', participant: 'p', data: null, ...lease }
      await expect(store.setPresence(presence)).rejects.toMatchObject(isTypeError)
    }
  })

  it('says empty, or when to come again: at the earliest end, excluded events included', async () => {
    const { store, clock } = world()
    const claim = (ttlMs: number, excludeIndexes?: number[]) =>
      store.claimPending({
        sessionId: 's',
        holder: 'h',
        ttlMs,
        ...(excludeIndexes === undefined ? {} : { excludeIndexes }),
      })
    expect(await claim(1)).toEqual({ outcome: 'empty' })
    await store.append('s', plain(2))
    expect(await claim(300, [2])).toMatchObject({ outcome: 'claimed', events: [{ index: 1 }] })
    expect(await claim(200, [1])).toMatchObject({ outcome: 'claimed', events: [{ index: 2 }] })
    const waiting = { outcome: 'waiting', retryAt: new Date(START_MS + 200) }
    expect(await claim(1)).toEqual(waiting)
    expect(await claim(1, [2])).toEqual(waiting)
    clock.advance(200)
    expect(await claim(1, [2])).toEqual({ outcome: 'waiting', retryAt: new Date(START_MS + 300) })
  })

  it('says empty when all that is left is excluded, blocked, dead or finished', async () => {
    const { store, kill } = world()
    await store.append('s', [{ type: 'a', lane: 'l' }, { type: 'b', lane: 'l' }, { type: 'c' }])
    await kill('s', 1)
    const claim = (excludeIndexes: number[]) =>
      store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1, excludeIndexes })
    world().clock.advance(10_000)
    expect(await claim([3])).toEqual({ outcome: 'empty' })
    expect(await claim([])).toMatchObject({ outcome: 'claimed', events: [{ index: 3 }] })
  })

  it('takes a claim over exactly when it has run out', async () => {
    const { store, clock, claim } = world()
    await store.append('s', plain(1))
    expect(await claim('s')).toEqual([1])
    clock.advance(9_999)
    expect(await claim('s')).toEqual([])
    clock.advance(1)
    expect(await claim('s')).toEqual([1])
    expect((await world().row('s', 1)).attempt_count).toBe(2)
  })

  it('claims nothing that was cleared, and says where the lifetime begins', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    await store.clear({ sessionId: 's' })
    const claim = () => store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1 })
    expect(await claim()).toEqual({ outcome: 'empty' })
    await store.append('s', plain(1))
    expect(await claim()).toMatchObject({
      outcome: 'claimed',
      events: [{ index: 4, clearIndex: 3 }],
    })
  })

  it('does not wait for a claim that was cleared', async () => {
    const { store, claim } = world()
    await store.append('s', plain(1))
    await claim('s')
    await store.clear({ sessionId: 's' })
    expect(await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1 })).toEqual({
      outcome: 'empty',
    })
  })

  it('renews what this holder still holds', async () => {
    const { store, row, claim, clock } = world()
    await store.append('s', plain(2))
    await claim('s')
    clock.advance(9_999)
    const answer = await store.renew({
      sessionId: 's',
      holder: 'worker',
      ttlMs: 500,
      claims: [{ index: 1, attempt: 1 }],
    })
    expect(answer).toEqual({ renewed: [1], superseded: [] })
    expect((await row('s', 1)).claim_expires_at).toBe(START_MS + 10_499)
    expect((await row('s', 2)).claim_expires_at).toBe(START_MS + 10_000)
  })

  it('lists neither what ran out, nor what others hold, nor what is over, nor what never was', async () => {
    const { store, claim, clock } = world()
    await store.append('s', plain(4))
    await claim('s')
    await store.completeAttempt({ sessionId: 's', index: 1, attempt: 1, events: [] })
    const fail = { sessionId: 's', attempt: 1, error: 'e' }
    await store.failAttempt({ ...fail, index: 2, maxFailures: 1 })
    const renew = (holder: string, indexes: number[], attempt = 1) =>
      store.renew({
        sessionId: 's',
        holder,
        ttlMs: 1,
        claims: indexes.map((index) => ({ index, attempt })),
      })
    const neither = { renewed: [], superseded: [] }
    expect(await renew('worker', [1, 2, 99])).toEqual(neither)
    expect(await renew('someone else', [3])).toEqual(neither)
    expect(await renew('worker', [3], 2)).toEqual(neither)
    clock.advance(10_000)
    expect(await renew('worker', [3, 4])).toEqual(neither)
  })

  it('lists what was taken over or cleared as superseded, whether or not the row is there', async () => {
    const { store, claim, clock } = world()
    await store.append('s', plain(1))
    await claim('s')
    clock.advance(10_000)
    await claim('s')
    const renew = (...indexes: number[]) =>
      store.renew({
        sessionId: 's',
        holder: 'worker',
        ttlMs: 1,
        claims: indexes.map((index) => ({ index, attempt: 1 })),
      })
    expect(await renew(1)).toEqual({ renewed: [], superseded: [1] })
    await store.clear({ sessionId: 's' })
    expect(await renew(1, 2)).toEqual({ renewed: [], superseded: [1, 2] })
    while (!(await store.reclaim('s')).done);
    expect(await renew(0, 1, 2)).toEqual({ renewed: [], superseded: [0, 1, 2] })
  })

  it('renews nothing for an empty list', async () => {
    const { store } = world()
    const answer = await store.renew({ sessionId: 's', holder: 'h', ttlMs: 1, claims: [] })
    expect(answer).toEqual({ renewed: [], superseded: [] })
  })

  it('claims an event again and again, each time as the next attempt', async () => {
    const { store, claim, clock } = world()
    await store.append('s', plain(1))
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(await claim('s')).toEqual([1])
      expect(indexesOf(await store.read('s'))).toEqual([1])
      expect((await world().row('s', 1)).attempt_count).toBe(attempt)
      clock.advance(10_000)
    }
  })
}
