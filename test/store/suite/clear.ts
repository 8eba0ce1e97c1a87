import { expect, it } from 'vitest'

import { indexesOf, plain, START_MS, type World } from '../world.ts'

export function describeClear(world: () => World): void {
  it('appends a marker and deletes nothing', async () => {
    const { store, row, clock, dump } = world()
    await store.append('s', [{ type: 'a', lane: 'l' }, { type: 'b' }])
    clock.advance(4)
    expect(await store.clear({ sessionId: 's' })).toEqual({
      cleared: true,
      index: 3,
      clearIndex: 3,
    })
    expect(await row('s', 3)).toEqual({
      session_id: 's',
      idx: 3,
      event_type: 'a2.session.cleared',
      payload: null,
      event_id: 'id-3',
      created_at: START_MS + 4,
      cause: null,
      lane: null,
      lane_ready: true,
      processed_at: START_MS + 4,
      attempt_count: 0,
      failure_count: 0,
      failed_at: null,
      last_error: null,
      returned_event_ids: null,
      claim_holder: null,
      claim_expires_at: null,
    })
    const { events, clears } = await dump()
    expect(indexesOf(events.map((one) => ({ index: one.idx })))).toEqual([1, 2, 3])
    expect(clears).toEqual([{ session_id: 's', clear_index: 3 }])
  })

  it('has nothing to clear in an empty session, and right after a clear', async () => {
    const { store, dump } = world()
    expect(await store.clear({ sessionId: 's' })).toEqual({
      cleared: true,
      index: 0,
      clearIndex: 0,
    })
    expect(await store.clear({ sessionId: 's', ifLastIndex: 0 })).toMatchObject({ cleared: true })
    await store.append('s', plain(1))
    const first = await store.clear({ sessionId: 's' })
    const before = await dump()
    expect(await store.clear({ sessionId: 's' })).toEqual(first)
    expect(await dump()).toEqual(before)
  })

  it('clears only what the caller saw', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    for (const ifLastIndex of [0, 1, 3])
      expect(await store.clear({ sessionId: 's', ifLastIndex })).toEqual({
        cleared: false,
        index: 2,
        clearIndex: 0,
      })
    expect(await store.clear({ sessionId: 's', ifLastIndex: 2 })).toEqual({
      cleared: true,
      index: 3,
      clearIndex: 3,
    })
  })

  it('gives the same answer again with the head of now, and changes nothing (B9)', async () => {
    const { store, dump } = world()
    await store.append('s', plain(2))
    await store.clear({ sessionId: 's', ifLastIndex: 2 })
    await store.append('s', plain(2))
    const before = await dump()
    expect(await store.clear({ sessionId: 's', ifLastIndex: 2 })).toEqual({
      cleared: true,
      index: 5,
      clearIndex: 3,
    })
    expect(await dump()).toEqual(before)
    expect(await store.clear({ sessionId: 's', ifLastIndex: 3 })).toMatchObject({ cleared: false })
    expect(await store.clear({ sessionId: 's', ifLastIndex: 1 })).toMatchObject({ cleared: false })
  })

  it('answers −1 in a session that was never cleared as if it had been', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    expect(await store.clear({ sessionId: 's', ifLastIndex: -1 })).toEqual({
      cleared: true,
      index: 1,
      clearIndex: 0,
    })
  })

  it('clears a second time, beyond the first marker', async () => {
    const { store, dump } = world()
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    expect(await store.clear({ sessionId: 's', ifLastIndex: 3 })).toEqual({
      cleared: true,
      index: 4,
      clearIndex: 4,
    })
    expect((await dump()).clears).toEqual([{ session_id: 's', clear_index: 4 }])
    expect(indexesOf(await store.read('s'))).toEqual([4])
  })

  it('clears one session and leaves the others', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    await store.append('other', plain(1))
    await store.clear({ sessionId: 's' })
    expect(indexesOf(await store.read('other'))).toEqual([1])
    expect((await store.append('other', [])).hasPending).toBe(true)
  })

  it('clears for a handler while its attempt is the latest', async () => {
    const { store, claim, clock } = world()
    await store.append('s', plain(1))
    await claim('s')
    clock.advance(10_000)
    await claim('s')
    const clear = (index: number, attempt: number) =>
      store.clear({ sessionId: 's', cause: { index, attempt } })
    await expect(clear(1, 1)).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
    await expect(clear(0, 1)).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
    await expect(clear(5, 1)).rejects.toBeInstanceOf(TypeError)
    expect(await clear(1, 2)).toEqual({ cleared: true, index: 2, clearIndex: 2 })
    // The fence comes first: a handler cannot repeat its own clear.
    await expect(clear(1, 2)).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('looks at the fence before it looks at the head', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    await expect(
      store.clear({ sessionId: 's', ifLastIndex: 77, cause: { index: 1, attempt: 5 } }),
    ).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('refuses the clear of a handler whose event is a dead letter', async () => {
    const { store, kill } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    await expect(
      store.clear({ sessionId: 's', cause: { index: 1, attempt: 1 } }),
    ).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('never touches presence', async () => {
    const { store, dump } = world()
    await store.setPresence({ ns: 's', participant: 'p', data: 1, ttlMs: 10 })
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    while (!(await store.reclaim('s')).done);
    expect((await dump()).presence).toHaveLength(1)
  })
}
