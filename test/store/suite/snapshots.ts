import { expect, it } from 'vitest'

import type { StateAnswer, StateBounds } from '../../../src/store/store.ts'
import { indexesOf, plain, START_MS, type World } from '../world.ts'

export function describeSnapshots(world: () => World): void {
  const state = async (bounds?: StateBounds) => {
    const { events, ...rest } = await world().store.readState('s', 'r', bounds)
    return { ...rest, events: indexesOf(events) }
  }
  const stored = async () => {
    const { snapshots, history, pins } = await world().dump()
    return {
      head: snapshots.map((row) => [row.up_to_index, row.state]),
      history: history.map((row) => [row.up_to_index, row.state]),
      pins: pins.map((row) => [row.event_index, row.up_to_index]),
    }
  }

  it('reads all events where there is no snapshot', async () => {
    const { store } = world()
    expect(await state()).toEqual({ headIndex: null, snapshot: null, events: [] })
    await store.append('s', plain(3))
    expect(await state()).toEqual({ headIndex: null, snapshot: null, events: [1, 2, 3] })
    expect((await state({ throughIndex: 2 })).events).toEqual([1, 2])
  })

  it('reads the head and what came after it', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.putSnapshots('s', 'r', [{ index: 2, state: { sum: 2 } }])
    await store.putSnapshots('s', 'another', [{ index: 3, state: null }])
    expect(await state()).toEqual({
      headIndex: 2,
      snapshot: { index: 2, state: { sum: 2 } },
      events: [3],
    })
  })

  it('gives the fields of an event', async () => {
    const { store } = world()
    await store.append('s', [{ type: 'a', payload: [1] }])
    expect((await store.readState('s', 'r')).events).toMatchObject([
      {
        sessionId: 's',
        index: 1,
        id: 'id-1',
        type: 'a',
        payload: [1],
        createdAt: new Date(START_MS),
      },
    ])
  })

  it('goes back to a history snapshot, and past all of them', async () => {
    const { store } = world()
    await store.append('s', plain(6))
    await store.putSnapshots('s', 'r', [
      { index: 2, state: 2, pinEventIndexes: [6] },
      { index: 3, state: 3, pinEventIndexes: [6] },
      { index: 5, state: 5 },
    ])
    const at = (index: number, events: number[]) => ({
      headIndex: 5,
      snapshot: { index, state: index },
      events,
    })
    expect(await state()).toEqual(at(5, [6]))
    expect(await state({ throughIndex: 5 })).toEqual(at(5, []))
    expect(await state({ throughIndex: 4 })).toEqual(at(3, [4]))
    expect(await state({ throughIndex: 2 })).toEqual(at(2, []))
    expect(await state({ snapshotThroughIndex: 2 })).toEqual(at(2, [3, 4, 5, 6]))
    expect(await state({ throughIndex: 6, snapshotThroughIndex: 3 })).toEqual(at(3, [4, 5, 6]))
    expect(await state({ throughIndex: 3, snapshotThroughIndex: 5 })).toEqual(at(5, []))
    expect(await state({ throughIndex: 1 })).toEqual({ headIndex: 5, snapshot: null, events: [1] })
  })

  it('begins at the marker after a clear, whatever was stored before', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [
      { index: 1, state: 1, pinEventIndexes: [2] },
      { index: 2, state: 2 },
    ])
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    const expected = { clearIndex: 3, headIndex: null, snapshot: null, events: [3, 4] }
    expect(await state()).toEqual(expected)
    expect(await state({ throughIndex: 2 })).toEqual({ ...expected, events: [] })
    while (!(await store.reclaim('s')).done);
    expect(await state()).toEqual(expected)
  })

  it('accepts a snapshot of the marker itself, and ignores one below it', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    await store.putSnapshots('s', 'r', [{ index: 2, state: 'gone' }])
    expect(await stored()).toEqual({ head: [], history: [], pins: [] })
    await store.putSnapshots('s', 'r', [{ index: 3, state: 'new' }])
    expect(await state()).toEqual({
      clearIndex: 3,
      headIndex: 3,
      snapshot: { index: 3, state: 'new' },
      events: [4],
    })
  })

  it('replaces a head of a former lifetime, pinned or not, without keeping it', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [{ index: 2, state: 2, pinEventIndexes: [1] }])
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    await store.putSnapshots('s', 'r', [{ index: 4, state: 4 }])
    expect(await stored()).toEqual({ head: [[4, 4]], history: [], pins: [[1, 2]] })
  })

  it('keeps the old head, with its time, only while it is pinned', async () => {
    const { store, clock, dump } = world()
    await store.append('s', plain(5))
    const put = (index: number, pinEventIndexes?: number[]) =>
      store.putSnapshots('s', 'r', [{ index, state: `at ${index}`, pinEventIndexes }])
    await put(1, [4])
    clock.advance(1)
    await put(2)
    clock.advance(1)
    await put(3)
    expect(await stored()).toEqual({
      head: [[3, 'at 3']],
      history: [[1, 'at 1']],
      pins: [[4, 1]],
    })
    const { snapshots, history } = await dump()
    expect(history[0]?.updated_at).toBe(START_MS)
    expect(snapshots[0]?.updated_at).toBe(START_MS + 2)
  })

  it('replaces the state of an equal head', async () => {
    const { store, clock, dump } = world()
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [{ index: 1, state: 'a', pinEventIndexes: [2] }])
    clock.advance(1)
    await store.putSnapshots('s', 'r', [{ index: 1, state: 'b' }])
    expect(await stored()).toEqual({ head: [[1, 'b']], history: [], pins: [[2, 1]] })
    expect((await dump()).snapshots[0]?.updated_at).toBe(START_MS + 1)
  })

  it('keeps a snapshot below the head only when it is pinned', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.putSnapshots('s', 'r', [{ index: 3, state: 3 }])
    await store.putSnapshots('s', 'r', [{ index: 1, state: 1 }])
    expect(await stored()).toEqual({ head: [[3, 3]], history: [], pins: [] })
    await store.putSnapshots('s', 'r', [{ index: 2, state: 2, pinEventIndexes: [3] }])
    await store.putSnapshots('s', 'r', [{ index: 2, state: 'anew' }])
    expect(await stored()).toEqual({ head: [[3, 3]], history: [[2, 'anew']], pins: [[3, 2]] })
  })

  it('takes writes in index order, not in the order given', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.putSnapshots('s', 'r', [
      { index: 3, state: 3 },
      { index: 1, state: 1, pinEventIndexes: [3] },
      { index: 2, state: 2 },
    ])
    expect(await stored()).toEqual({ head: [[3, 3]], history: [[1, 1]], pins: [[3, 1]] })
  })

  it('carries a new state of the old head into history', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.putSnapshots('s', 'r', [{ index: 1, state: 'old', pinEventIndexes: [3] }])
    await store.putSnapshots('s', 'r', [
      { index: 1, state: 'new' },
      { index: 2, state: 2 },
    ])
    expect(await stored()).toEqual({ head: [[2, 2]], history: [[1, 'new']], pins: [[3, 1]] })
  })

  it('pins unfinished live events only', async () => {
    const { store, claim, kill } = world()
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    await store.append('s', [{ type: 'dead' }])
    await kill('s', 3)
    await store.append('s', [{ type: 'done' }, { type: 'settled', settled: true }])
    await claim('s')
    await store.completeAttempt({ sessionId: 's', index: 4, attempt: 1, events: [] })
    await store.append('s', plain(2))
    await store.putSnapshots('s', 'r', [
      { index: 7, state: 0, pinEventIndexes: [0, 1, 2, 3, 4, 5, 6, 6, 7, 99] },
    ])
    expect((await stored()).pins).toEqual([
      [6, 7],
      [7, 7],
    ])
  })

  it('writes nothing for an empty list, and does not ask whether the log reaches so far', async () => {
    const { store } = world()
    await store.putSnapshots('s', 'r', [])
    expect(await stored()).toEqual({ head: [], history: [], pins: [] })
    await store.putSnapshots('s', 'r', [{ index: 9, state: [] }])
    expect(await state()).toEqual({
      headIndex: 9,
      snapshot: { index: 9, state: [] },
      events: [],
    })
  })

  it('reads many sessions at once as it reads each, in the order asked', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    await store.putSnapshots('s', 'r', [{ index: 2, state: 2 }])
    await store.append('t', plain(1))
    await store.clear({ sessionId: 't' })
    const reads = [
      { sessionId: 't' },
      { sessionId: 's', throughIndex: 1 },
      { sessionId: 'unknown' },
      { sessionId: 's' },
      { sessionId: 's', throughIndex: 3, snapshotThroughIndex: 1 },
    ]
    const one: StateAnswer[] = []
    for (const { sessionId, ...bounds } of reads)
      one.push(await store.readState(sessionId, 'r', bounds))
    expect(await store.readStates('r', reads)).toEqual(one)
    expect(one.map((answer) => indexesOf(answer.events))).toEqual([[2], [1], [], [3], [1, 2, 3]])
    expect(await store.readStates('r', [])).toEqual([])
  })
}
