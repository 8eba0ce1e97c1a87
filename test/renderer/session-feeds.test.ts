import { expect, test, vi } from 'vitest'

import { SessionFeeds } from '../../renderer/api/session-feeds.ts'

const event = (sessionId: string, index: number) => ({ sessionId, index, type: 't' })

test('only sessions that are looked at are kept; a batch is told once', () => {
  const feeds = new SessionFeeds()
  const heard = vi.fn<() => void>()
  const stop = feeds.subscribe('a', heard)
  feeds.add([event('a', 3), event('b', 9), event('a', 4)])
  expect([feeds.heardHead('a'), feeds.heardHead('b')]).toEqual([4, 0])
  expect(heard).toHaveBeenCalledTimes(1)
  feeds.add([event('b', 10)])
  expect(heard).toHaveBeenCalledTimes(1)
  stop()
  feeds.add([event('a', 5)])
  expect(feeds.heardHead('a')).toBe(0)
  expect(heard).toHaveBeenCalledTimes(1)
})

test('what is heard late does not move the head back', () => {
  const feeds = new SessionFeeds()
  const heard = vi.fn<() => void>()
  feeds.subscribe('a', heard)
  feeds.add([event('a', 7)])
  feeds.add([event('a', 6)])
  expect(feeds.heardHead('a')).toBe(7)
  expect(heard).toHaveBeenCalledTimes(1)
})

test('session a and session a\\0b are different', () => {
  const feeds = new SessionFeeds()
  feeds.subscribe('a', vi.fn<() => void>())
  feeds.subscribe('a\0b', vi.fn<() => void>())
  feeds.add([event('a\0b', 7)])
  expect([feeds.heardHead('a'), feeds.heardHead('a\0b')]).toEqual([0, 7])
})
