import { expect, it } from 'vitest'

import { plain, START_MS, type World } from '../world.ts'

export function describeRedrive(world: () => World): void {
  const redrive = (index: number, action: 'retry' | 'skip') =>
    world().store.redrive({ sessionId: 's', index, action })

  it('gives a retried event its failures back and nothing else', async () => {
    const { store, row, kill, claim } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
    ])
    await kill('s', 1)
    const before = await row('s', 1)
    expect(await redrive(1, 'retry')).toEqual({ redriven: true, hasPending: true })
    expect(await row('s', 1)).toEqual({ ...before, failed_at: null, failure_count: 0 })
    expect(await claim('s')).toEqual([1])
    expect((await row('s', 1)).attempt_count).toBe(2)
  })

  it('finishes a skipped event, keeps that it failed, and lets its lane go on', async () => {
    const { store, row, kill, clock } = world()
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
    ])
    await kill('s', 1)
    clock.advance(9)
    expect(await redrive(1, 'skip')).toEqual({ redriven: true, hasPending: true })
    expect(await row('s', 1)).toMatchObject({
      processed_at: START_MS + 9,
      failed_at: START_MS,
      failure_count: 1,
      lane_ready: false,
      last_error: 'broken',
    })
    expect((await row('s', 2)).lane_ready).toBe(true)
    expect(await store.deadLetters('s')).toEqual([])
  })

  it('says when nothing is pending any more', async () => {
    const { store, kill } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    expect(await redrive(1, 'skip')).toEqual({ redriven: true, hasPending: false })
    expect(await redrive(1, 'skip')).toEqual({ redriven: false, hasPending: false })
    expect(await redrive(1, 'retry')).toEqual({ redriven: false, hasPending: false })
  })

  it('touches only live dead letters, and never throws', async () => {
    const { store, kill, claim } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    await store.append('s', plain(1))
    await claim('s')
    for (const action of ['retry', 'skip'] as const) {
      for (const index of [-1, 0, 2, 3])
        expect(await redrive(index, action)).toEqual({ redriven: false, hasPending: true })
    }
    await store.clear({ sessionId: 's' })
    for (const action of ['retry', 'skip'] as const)
      expect(await redrive(1, action)).toEqual({ redriven: false, hasPending: false })
  })

  it('lets the attempt that had died be the latest again until the next claim', async () => {
    const { store, kill, clock, claim } = world()
    await store.append('s', plain(1))
    await kill('s', 1)
    await redrive(1, 'retry')
    await store.append('s', [{ type: 'late', cause: { index: 1, attempt: 1 } }])
    clock.advance(10_000)
    await claim('s')
    await expect(
      store.append('s', [{ type: 'later', cause: { index: 1, attempt: 1 } }]),
    ).rejects.toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  })

  it('skips in the lane of this lifetime only', async () => {
    const { store, row, kill } = world()
    await store.append('s', [{ type: 'old', lane: 'l' }])
    await store.clear({ sessionId: 's' })
    await store.append('s', [
      { type: 'a', lane: 'l' },
      { type: 'b', lane: 'l' },
    ])
    await kill('s', 3)
    await redrive(3, 'skip')
    expect((await row('s', 4)).lane_ready).toBe(true)
  })
}
