import { expect, it } from 'vitest'

import { plain, type World } from '../world.ts'

const UGLY_TEXTS = [
  '',
  ' ',
  "'; drop table a2_events; --",
  '"quoted" \\ back',
  '$1 ? %s',
  '日本語 עברית 😀',
  'a\nb\tc\u2028d',
  'x'.repeat(4_000),
]

export function describeValues(world: () => World): void {
  it('takes any text as a session, type, lane, holder, error or reducer', async () => {
    const { store } = world()
    for (const [n, text] of UGLY_TEXTS.entries()) {
      const id = `${text}#${n}`
      await store.append(text, [{ type: text, id, lane: text }])
      const claimed = await store.claimPending({ sessionId: text, holder: text, ttlMs: 1 })
      expect(claimed).toMatchObject({ outcome: 'claimed', events: [{ claimHolder: text }] })
      const fail = { sessionId: text, index: 1, attempt: 1, error: text, maxFailures: 1 }
      await store.failAttempt(fail)
      expect(await store.deadLetters(text)).toMatchObject([
        { sessionId: text, id, type: text, lane: text, lastError: text },
      ])
      await store.putSnapshots(text, text, [{ index: 1, state: text }])
      expect((await store.readState(text, text)).snapshot).toEqual({ index: 1, state: text })
    }
  })

  it('gives every JSON value back', async () => {
    const { store } = world()
    const payloads: unknown[] = [
      null,
      true,
      0,
      -1.5e-7,
      1e300,
      Number.MAX_SAFE_INTEGER,
      '',
      UGLY_TEXTS,
      [],
      {},
      { '': { a: [{}] }, b: 'é😀', toString: 1 },
    ]
    const { events } = await store.append(
      's',
      payloads.map((payload) => ({ type: 't', payload })),
    )
    expect(events.map((event) => event.payload)).toEqual(payloads)
    expect((await store.read('s')).map((event) => event.payload)).toEqual(payloads)
  })

  it('answers the payload as stored, not the caller’s object', async () => {
    const { store } = world()
    const payload = { at: new Date(0), gone: undefined, list: [undefined, 1] }
    const { events } = await store.append('s', [{ type: 't', payload, id: 'x' }])
    const stored = { at: '1970-01-01T00:00:00.000Z', list: [null, 1] }
    expect(events[0]?.payload).toStrictEqual(stored)
    expect((await store.read('s'))[0]?.payload).toStrictEqual(stored)
  })

  it('refuses a payload that is no JSON, and names the event', async () => {
    const { store } = world()
    const circle: unknown[] = []
    circle.push(circle)
    for (const payload of [1n, circle])
      await expect(
        store.append('s', [{ type: 'fine' }, { type: 'bad', payload }]),
      ).rejects.toMatchObject({
        code: 'UNSTORABLE_VALUE',
        message: "the payload of event 2 of the batch (type 'bad') cannot be written as JSON",
      })
  })

  it('refuses text that would be stored as another', async () => {
    const { store } = world()
    const unstorable = { code: 'UNSTORABLE_VALUE' }
    await expect(store.append('\ud800', plain(1))).rejects.toMatchObject(unstorable)
    for (const bad of [{ type: 'x\udfff' }, { type: 't', id: '\ud800' }])
      await expect(store.append('s', [bad])).rejects.toMatchObject(unstorable)
    await expect(store.append('s', [{ type: 't', lane: '\ud800' }])).rejects.toMatchObject({
      message:
        "the lane of event 1 of the batch (type 't') contains a lone surrogate, which cannot be stored",
    })
  })

  it('keeps times and indexes beyond 32 bits', async () => {
    const { store, clock } = world()
    clock.ms = 8_000_000_000_000_000
    await store.append('s', plain(1))
    expect((await store.read('s'))[0]?.createdAt.getTime()).toBe(8_000_000_000_000_000)
    await store.putSnapshots('s', 'r', [{ index: 5_000_000_000, state: 1 }])
    expect((await store.readState('s', 'r')).headIndex).toBe(5_000_000_000)
    expect(await store.read('s', { afterIndex: 5_000_000_000 })).toEqual([])
  })

  it('appends a batch of a thousand events with ids', async () => {
    const { store } = world()
    const batch = Array.from({ length: 1_000 }, (_, n) => ({ type: 't', id: `n${n}` }))
    const { events } = await store.append('s', batch)
    expect(events).toHaveLength(1_000)
    expect((await store.append('s', batch)).events).toEqual(events)
  })
}
