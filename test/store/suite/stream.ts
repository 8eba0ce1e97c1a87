import { expect, it } from 'vitest'

import type { SessionEvent, Store } from '../../../src/store/store.ts'
import { plain, START_MS, type World } from '../world.ts'

/** Takes the next `count` events, then ends the stream. */
async function take(stream: AsyncIterable<SessionEvent>, count: number): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = []
  for await (const event of stream) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}

const indexes = async (store: Store, count: number, afterIndex?: number): Promise<number[]> =>
  (await take(store.stream('s', { afterIndex }), count)).map((event) => event.index)

export function describeStream(world: () => World): void {
  it('delivers what is stored, then what comes', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    const stream = store.stream('s', { intervalMs: 5 })[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ index: 1, createdAt: new Date(START_MS) })
    expect((await stream.next()).value).toMatchObject({ index: 2 })
    const next = stream.next()
    await store.append('other', plain(1))
    await store.append('s', plain(1))
    expect((await next).value).toMatchObject({ sessionId: 's', index: 3, id: 'id-4', type: 't' })
    await stream.return?.()
  })

  it('sees what another store appends', async () => {
    const { store, openAnother } = world()
    const another = openAnother()
    const next = indexes(store, 1)
    await another.append('s', plain(1))
    expect(await next).toEqual([1])
    await another.close()
  })

  it('delivers more than one page in order', async () => {
    const { store } = world()
    await store.append('s', plain(1_100))
    expect(await indexes(store, 1_100)).toEqual(Array.from({ length: 1_100 }, (_, n) => n + 1))
  })

  it('begins behind an index, and at the marker when that lies above it', async () => {
    const { store } = world()
    await store.append('s', plain(3))
    expect(await indexes(store, 2, 1)).toEqual([2, 3])
    await store.clear({ sessionId: 's' })
    await store.append('s', plain(1))
    expect(await indexes(store, 2)).toEqual([4, 5])
    expect(await indexes(store, 2, 2)).toEqual([4, 5])
    expect(await indexes(store, 1, 4)).toEqual([5])
  })

  it('passes by what was cleared while it waited, and delivers what it had fetched', async () => {
    const { store } = world()
    await store.append('s', plain(2))
    const stream = store.stream('s', { intervalMs: 5 })[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ index: 1 })
    await store.append('s', plain(1))
    await store.clear({ sessionId: 's' })
    expect((await stream.next()).value).toMatchObject({ index: 2 })
    expect((await stream.next()).value).toMatchObject({ index: 4, type: 'a2.session.cleared' })
    await stream.return?.()
  })

  it('ends without an error when its signal aborts', async () => {
    const { store } = world()
    const ending = new AbortController()
    const stream = store.stream('s', { signal: ending.signal, intervalMs: 5 })
    const end = stream[Symbol.asyncIterator]().next()
    ending.abort()
    expect(await end).toEqual({ done: true, value: undefined })
    const late = store.stream('s', { signal: ending.signal })
    expect(await late[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
  })

  it('ends when the store is closed', async () => {
    const another = world().openAnother()
    await another.append('s', plain(1))
    const stream = another.stream('s', { intervalMs: 5 })[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ index: 1 })
    const end = stream.next()
    await another.close()
    expect(await end).toEqual({ done: true, value: undefined })
  })
}
