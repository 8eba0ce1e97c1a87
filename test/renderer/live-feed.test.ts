import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { LiveFeed } from '../../renderer/api/live-feed.ts'
import type { LiveMessage } from '../../src/model/live.ts'

let stop = (): void => undefined

beforeEach(() => {
  vi.useFakeTimers()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', document)
})

afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A feed that hears what it is `told`. */
async function startFeed() {
  const waiting: LiveMessage[] = []
  let wake = (): void => undefined
  async function* messages(): AsyncGenerator<LiveMessage, undefined> {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined) yield message
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const client = { live: async () => messages() }
  const feed = new LiveFeed({ client, databaseId: 'x', canListenWhileHidden: true })
  stop = feed.start()
  const tell = async (message: LiveMessage): Promise<void> => {
    waiting.push(message)
    wake()
    await vi.advanceTimersByTimeAsync(0)
  }
  await tell({ kind: 'hello', isWritingUnlocked: false, at: 0 })
  await vi.advanceTimersByTimeAsync(1000)
  return { feed, tell }
}

const events = (index: number, latencyMs = 5): LiveMessage => ({
  kind: 'events',
  events: [{ sessionId: 'a', index, type: 't' }],
  at: 0,
  latencyMs,
})

test('sixty messages a second are not sixty drawings; the last of them is told', async () => {
  const { feed, tell } = await startFeed()
  let [drawn, drawnSession] = [0, 0]
  feed.subscribe(() => (drawn += 1))
  feed.sessions.subscribe('a', () => (drawnSession += 1))
  const before = feed.getState().commits
  for (let n = 1; n <= 180; n += 1) {
    await tell(events(n))
    await vi.advanceTimersByTimeAsync(16)
  }
  await vi.advanceTimersByTimeAsync(200)
  // At least once in each 150 ms, at most with each round and once in between.
  expect(drawn).toBeGreaterThanOrEqual(18)
  expect(drawn).toBeLessThanOrEqual(60)
  expect(drawnSession).toBeLessThanOrEqual(drawn)
  expect(feed.sessions.heardHead('a')).toBe(180)
  expect(feed.getState().commits).toBe(before + 180)
})

test('a single change is told at once', async () => {
  const { feed, tell } = await startFeed()
  const told: number[] = []
  feed.sessions.subscribe('a', () => told.push(feed.sessions.heardHead('a')))
  await tell(events(7))
  expect(told).toEqual([7])
})

test('while the screen stands still what is missed is counted, and read again afterwards', async () => {
  const { feed, tell } = await startFeed()
  feed.setPaused(true)
  let [missed, head] = [0, 0]
  feed.subscribe(() => (missed = feed.getState().missed))
  feed.sessions.subscribe('a', () => (head = feed.sessions.heardHead('a')))
  for (let n = 1; n <= 9; n += 1) await tell(events(n))
  await vi.advanceTimersByTimeAsync(200)
  expect([missed, head]).toEqual([9, 9])
  const { revision } = feed.getState()
  feed.setPaused(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(feed.getState()).toMatchObject({ missed: 0, revision: revision + 1 })
})

test('the latency on screen changes once a second', async () => {
  const { feed, tell } = await startFeed()
  const shown = new Set<number | null>()
  feed.subscribe(() => shown.add(feed.getState().latencyMs))
  for (let n = 1; n <= 120; n += 1) {
    await tell(events(n, n))
    await vi.advanceTimersByTimeAsync(16)
  }
  expect(shown.size).toBe(2)
})

test('what was heard before it was stopped is not told after', async () => {
  const { feed, tell } = await startFeed()
  await tell(events(1))
  const told = vi.fn<() => void>()
  feed.subscribe(told)
  await tell(events(2))
  stop()
  told.mockClear()
  await vi.advanceTimersByTimeAsync(1000)
  expect(told).not.toHaveBeenCalled()
})
