import { expect, it } from 'vitest'

import { indexesOf, plain, type World } from '../world.ts'

export function describeRead(world: () => World): void {
  it('reads after and through an index, in order', async () => {
    const { store } = world()
    await store.append('s', plain(5))
    await store.append('other', plain(1))
    const read = async (range?: { afterIndex?: number; throughIndex?: number }) =>
      indexesOf(await store.read('s', range))
    expect(await read()).toEqual([1, 2, 3, 4, 5])
    expect(await read({ afterIndex: 2 })).toEqual([3, 4, 5])
    expect(await read({ throughIndex: 2 })).toEqual([1, 2])
    expect(await read({ afterIndex: 2, throughIndex: 4 })).toEqual([3, 4])
    expect(await read({ afterIndex: 5 })).toEqual([])
    expect(await read({ afterIndex: 0, throughIndex: 0 })).toEqual([])
    expect(await store.read('unknown')).toEqual([])
  })

  it('begins at the marker, whatever is asked, before and after reclaim', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    const read = async (afterIndex?: number) => indexesOf(await store.read('s', { afterIndex }))
    for (const round of ['stored', 'reclaimed']) {
      expect(await read(), round).toEqual([3, 4])
      expect(await read(0), round).toEqual([3, 4])
      expect(await read(1), round).toEqual([3, 4])
      expect(await read(3), round).toEqual([4])
      expect(indexesOf(await store.read('s', { throughIndex: 2 })), round).toEqual([])
      while (!(await store.reclaim('s')).done);
    }
    const [marker] = await store.read('s')
    expect(marker).toMatchObject({ index: 3, type: 'a2.session.cleared', payload: null })
  })

  it('gives every field of a claimed and of a failed event', async () => {
    const { store, clock } = world()
    await store.append('s', plain(1))
    await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 50 })
    const [claimed] = await store.read('s')
    expect(claimed).toMatchObject({
      attemptCount: 1,
      claimHolder: 'h',
      claimExpiresAt: new Date(clock.ms + 50),
    })
    expect(claimed).not.toHaveProperty('clearIndex')
    const attempt = { sessionId: 's', index: 1, attempt: 1, error: 'boom\n  at x', maxFailures: 1 }
    await store.failAttempt(attempt)
    expect(await store.read('s')).toMatchObject([
      {
        failureCount: 1,
        failedAt: new Date(clock.ms),
        lastError: 'boom\n  at x',
        claimHolder: null,
        claimExpiresAt: null,
      },
    ])
  })
}
