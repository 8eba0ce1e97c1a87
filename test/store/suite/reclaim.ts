import { expect, it } from 'vitest'

import { eventsOf } from '../tables.ts'
import { plain, type World } from '../world.ts'

export function describeReclaim(world: () => World): void {
  const indexes = async () => eventsOf(await world().dump(), 's').map((row) => row.idx)

  it('has nothing to do in a session that was never cleared', async () => {
    const { store } = world()
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    await store.append('s', plain(2))
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    expect(await indexes()).toEqual([1, 2])
  })

  it('deletes what lies below the marker, at most 256 a call, lowest first', async () => {
    const { store } = world()
    await store.append('s', plain(600))
    await store.append('other', plain(1))
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    const first = await store.reclaim('s')
    expect(first).toEqual({ deleted: 256, done: false })
    expect((await indexes())[0]).toBe(257)
    let deleted = first.deleted
    for (let answer = first; !answer.done; deleted += answer.deleted)
      answer = await store.reclaim('s')
    expect(deleted).toBe(600)
    expect(await indexes()).toEqual([601, 602])
    expect(await store.reclaim('s')).toEqual({ deleted: 0, done: true })
    expect(eventsOf(await world().dump(), 'other')).toHaveLength(1)
  })

  it('keeps an earlier marker out of the way of a later one', async () => {
    const { store } = world()
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    while (!(await store.reclaim('s')).done);
    expect(await indexes()).toEqual([4])
    expect(await store.append('s', plain(1))).toMatchObject({ events: [{ index: 5 }] })
  })

  it('sweeps snapshots, history and pins below the marker, in all reducers', async () => {
    const { store, dump } = world()
    await store.append('s', plain(3))
    for (const reducer of ['q', 'r'])
      await store.putSnapshots('s', reducer, [
        { index: 1, state: 1, pinEventIndexes: [2] },
        { index: 3, state: 3, pinEventIndexes: [3] },
      ])
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [
      { index: 5, state: 5, pinEventIndexes: [6] },
      { index: 6, state: 6 },
    ])
    while (!(await store.reclaim('s')).done);
    const { snapshots, history, pins } = await dump()
    expect(snapshots.map((row) => [row.reducer_name, row.up_to_index])).toEqual([['r', 6]])
    expect(history.map((row) => row.up_to_index)).toEqual([5])
    expect(pins.map((row) => [row.event_index, row.up_to_index])).toEqual([[6, 5]])
  })

  it('leaves other sessions’ snapshots alone', async () => {
    const { store, dump } = world()
    for (const session of ['s', 't']) {
      await store.append(session, plain(1))
      await store.putSnapshots(session, 'r', [{ index: 1, state: 1 }])
    }
    await store.clear({ sessionId: 's' })
    while (!(await store.reclaim('s')).done);
    expect((await dump()).snapshots.map((row) => row.session_id)).toEqual(['t'])
  })

  it('never lets an index be used twice', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.clear({ sessionId: 's' })
    while (!(await store.reclaim('s')).done);
    expect(await store.append('s', plain(1))).toMatchObject({ events: [{ index: 5 }] })
  })

  it('goes on after ids of cleared events were reused', async () => {
    const { store } = world()
    await store.append('s', [{ type: 'a', id: 'x' }, ...plain(2)])
    await store.clear({ sessionId: 's' })
    await store.append('s', [{ type: 'b', id: 'x' }])
    expect(await indexes()).toEqual([2, 3, 4, 5])
    expect((await store.reclaim('s')).deleted).toBe(2)
    while (!(await store.reclaim('s')).done);
    expect(await indexes()).toEqual([4, 5])
  })
}
