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

  it('refuses such text wherever something is looked for by it: it would find another', async () => {
    const { store } = world()
    const [ask, stored] = ['\ud800', '\ufffd']
    await store.append(stored, plain(1))
    await store.claimPending({ sessionId: stored, holder: stored, ttlMs: 1_000 })
    await store.putSnapshots(stored, stored, [{ index: 1, state: 1 }])
    const key = { ns: stored, participant: stored }
    await store.setPresence({ ...key, data: 1, ttlMs: 1_000 })
    const claims = [{ index: 1, attempt: 1 }]
    const failure = { index: 1, attempt: 1, error: 'e', maxFailures: 1 }
    const asked: (() => Promise<unknown>)[] = [
      () => store.append(ask, []),
      () => store.read(ask),
      () => store.claimPending({ sessionId: ask, holder: 'h', ttlMs: 1 }),
      () => store.claimPending({ sessionId: stored, holder: ask, ttlMs: 1 }),
      () => store.renew({ sessionId: ask, holder: stored, ttlMs: 1, claims }),
      () => store.renew({ sessionId: stored, holder: ask, ttlMs: 1, claims }),
      () => store.completeAttempt({ sessionId: ask, index: 1, attempt: 1, events: [] }),
      () => store.failAttempt({ sessionId: ask, ...failure }),
      () => store.deadLetters(ask),
      () => store.redrive({ sessionId: ask, index: 1, action: 'skip' }),
      () => store.readState(ask, stored),
      () => store.readState(stored, ask),
      () => store.readStates(stored, [{ sessionId: ask }]),
      () => store.readStates(ask, [{ sessionId: stored }]),
      () => store.putSnapshots(ask, stored, [{ index: 1, state: 2 }]),
      () => store.putSnapshots(stored, ask, [{ index: 1, state: 2 }]),
      () => store.clear({ sessionId: ask }),
      () => store.reclaim(ask),
      () => store.listPresence(ask),
      () => store.removePresence({ ...key, participant: ask }),
      () => store.removePresence({ ...key, ns: ask }),
      () => store.setPresence({ ...key, ns: ask, data: 2, ttlMs: 1 }),
    ]
    for (const run of asked)
      await expect(run(), run.toString()).rejects.toMatchObject({ code: 'UNSTORABLE_VALUE' })
    expect(await store.read(stored)).toHaveLength(1)
    expect(await store.listPresence(stored)).toMatchObject([{ data: 1 }])
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
