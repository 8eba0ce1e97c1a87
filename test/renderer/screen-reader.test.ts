import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { queryClient, READ_ONCE } from '../../renderer/api/query-client.ts'
import { ScreenReader } from '../../renderer/api/screen-reader.ts'

const KEY = [['db', 'x']]
let stops: (() => void)[] = []

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { visibilityState: 'visible' })
})

afterEach(() => {
  for (const stop of stops) stop()
  stops = []
  queryClient.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A query somebody looks at. */
async function watch(name: string, queryFn: () => Promise<unknown>, isReadOnce = false) {
  const observer = new QueryObserver(queryClient, {
    queryKey: [['db', 'x', name]],
    queryFn,
    retry: false,
    ...(isReadOnce ? { meta: READ_ONCE } : {}),
  })
  stops.push(observer.subscribe(() => undefined))
  await vi.advanceTimersByTimeAsync(0)
}

function makeReader(isStill: () => boolean = () => false) {
  const rounds: number[] = []
  const reader = new ScreenReader({
    queryKey: KEY,
    isStill,
    onRound: () => rounds.push(performance.now()),
  })
  return { reader, rounds }
}

test('many requests are one round, rounds are at least 100 ms apart', async () => {
  const { reader, rounds } = makeReader()
  for (let step = 0; step < 100; step += 1) {
    reader.request()
    reader.request()
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(rounds.length).toBeGreaterThanOrEqual(8)
  expect(rounds.length).toBeLessThanOrEqual(11)
  const gaps = rounds.slice(1).map((at, place) => at - (rounds[place] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
})

test('what takes long to read is read for a quarter of the time at most', async () => {
  const { reader, rounds } = makeReader()
  const read = vi.fn<() => Promise<number>>(
    () => new Promise((resolve) => setTimeout(() => resolve(1), 200)),
  )
  await watch('slow', read)
  await vi.advanceTimersByTimeAsync(200)
  for (let step = 0; step < 300; step += 1) {
    reader.request()
    await vi.advanceTimersByTimeAsync(10)
  }
  // Each round takes 200 ms, and 600 ms of rest follow.
  const gaps = rounds.slice(1).map((at, place) => at - (rounds[place] ?? 0))
  expect(gaps).toEqual([800, 800, 800])
  await vi.advanceTimersByTimeAsync(1_000)
})

test('a hidden window reads at a slower pace', async () => {
  vi.stubGlobal('document', { visibilityState: 'hidden' })
  const { reader, rounds } = makeReader()
  for (let step = 0; step < 50; step += 1) {
    reader.request()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(rounds).toHaveLength(3)
})

test('nothing is read while the screen stands still, and once afterwards', async () => {
  let isStill = true
  const { reader, rounds } = makeReader(() => isStill)
  const read = vi.fn<() => Promise<number>>(async () => 1)
  await watch('list', read)
  for (let step = 0; step < 10; step += 1) {
    reader.request()
    await vi.advanceTimersByTimeAsync(200)
  }
  expect([rounds.length, read.mock.calls.length]).toEqual([0, 1])
  isStill = false
  reader.schedule()
  await vi.advanceTimersByTimeAsync(2_000)
  expect([rounds.length, read.mock.calls.length]).toEqual([1, 2])
})

test('a change during a round is read in the next one; rounds do not overlap', async () => {
  const { reader, rounds } = makeReader()
  const read = vi.fn<() => Promise<number>>(
    () => new Promise((resolve) => setTimeout(() => resolve(1), 1_000)),
  )
  await watch('slow', read)
  await vi.advanceTimersByTimeAsync(1_000)
  reader.request()
  await vi.advanceTimersByTimeAsync(10)
  reader.request()
  await vi.advanceTimersByTimeAsync(900)
  expect(rounds).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(rounds).toHaveLength(2)
  expect(read).toHaveBeenCalledTimes(3)
})

test('what is read once is left alone, until everything is read', async () => {
  const { reader } = makeReader()
  const once = vi.fn<() => Promise<number>>(async () => 1)
  const always = vi.fn<() => Promise<number>>(async () => 1)
  await watch('view', once, true)
  await watch('rows', always)
  reader.request()
  await vi.advanceTimersByTimeAsync(500)
  expect([once.mock.calls.length, always.mock.calls.length]).toEqual([1, 2])
  reader.readAll()
  await vi.advanceTimersByTimeAsync(500)
  expect([once.mock.calls.length, always.mock.calls.length]).toEqual([2, 3])
})

test('what failed is asked for again, but not at every change', async () => {
  const { reader } = makeReader()
  const failing = vi.fn<() => Promise<number>>(() => Promise.reject(new Error('no')))
  await watch('gone', failing)
  for (let step = 0; step < 40; step += 1) {
    reader.request()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(failing.mock.calls.length).toBeGreaterThanOrEqual(2)
  expect(failing.mock.calls.length).toBeLessThanOrEqual(3)
  await vi.advanceTimersByTimeAsync(2_500)
  const settled = failing.mock.calls.length
  await vi.advanceTimersByTimeAsync(20_000)
  expect(failing).toHaveBeenCalledTimes(settled)
})

test('what is read once is asked for again as long as it could not be read', async () => {
  const { reader } = makeReader()
  let isBroken = true
  const read = vi.fn<() => Promise<unknown>>(async () => {
    if (isBroken) throw new Error('no')
    return 'list'
  })
  await watch('view', read, true)
  isBroken = false
  await vi.advanceTimersByTimeAsync(2_500)
  reader.request()
  await vi.advanceTimersByTimeAsync(10)
  expect(read).toHaveBeenCalledTimes(2)
  reader.request()
  await vi.advanceTimersByTimeAsync(200)
  expect(read).toHaveBeenCalledTimes(2)
})
