import { expect, it } from 'vitest'

import { START_MS, type World } from '../world.ts'

export function describePresence(world: () => World): void {
  it('joins, stays and leaves', async () => {
    const { store, clock } = world()
    const key = { ns: 'room', participant: 'p' }
    await store.setPresence({ ...key, data: { typing: true }, ttlMs: 100 })
    clock.advance(60)
    await store.setPresence({ ...key, data: null, expiresAtMs: START_MS + 500 })
    expect(await store.listPresence('room')).toEqual([
      {
        ...key,
        data: null,
        joinedAt: new Date(START_MS),
        updatedAt: new Date(START_MS + 60),
        expiresAt: new Date(START_MS + 500),
      },
    ])
    await store.removePresence(key)
    await store.removePresence(key)
    expect(await store.listPresence('room')).toEqual([])
  })

  it('is over exactly at its end, and a later one is a new joining', async () => {
    const { store, clock } = world()
    const join = () => store.setPresence({ ns: 'n', participant: 'p', data: 0, ttlMs: 10 })
    await join()
    clock.advance(9)
    expect(await store.listPresence('n')).toHaveLength(1)
    clock.advance(1)
    expect(await store.listPresence('n')).toEqual([])
    await join()
    expect(await store.listPresence('n')).toMatchObject([{ joinedAt: new Date(START_MS + 10) }])
  })

  it('lists one namespace, by participant in the order of code points', async () => {
    const { store } = world()
    for (const participant of ['b', 'é', 'B', 'a', 'ab', '😀'])
      await store.setPresence({ ns: 'n', participant, data: 0, ttlMs: 10 })
    await store.setPresence({ ns: 'other', participant: 'z', data: 0, ttlMs: 10 })
    const list = await store.listPresence('n')
    expect(list.map((one) => one.participant)).toEqual(['B', 'a', 'ab', 'b', 'é', '😀'])
  })
}
