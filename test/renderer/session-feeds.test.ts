import { expect, test, vi } from 'vitest'

import { SessionFeeds } from '../../renderer/api/session-feeds.ts'

const event = (sessionId: string, index: number) => ({ sessionId, index, type: 't' })

test('only sessions that are looked at are kept, and shown when published', () => {
  const feeds = new SessionFeeds()
  const heard = vi.fn<() => void>()
  const stop = feeds.subscribe('a', heard)
  feeds.add([event('a', 3), event('b', 9), event('a', 4)])
  expect(feeds.get('a').heard).toBe(0)
  feeds.publish()
  expect(feeds.get('a')).toEqual({ head: 4, heard: 2, latest: [event('a', 3), event('a', 4)] })
  expect(feeds.get('b')).toEqual({ head: 0, heard: 0, latest: [] })
  expect(heard).toHaveBeenCalledTimes(1)
  feeds.publish()
  expect(heard).toHaveBeenCalledTimes(1)
  stop()
  expect(feeds.get('a').heard).toBe(0)
})

test('session a and session a\\0b are different', () => {
  const feeds = new SessionFeeds()
  feeds.subscribe('a', vi.fn<() => void>())
  feeds.subscribe('a\0b', vi.fn<() => void>())
  feeds.add([event('a\0b', 7)])
  feeds.publish()
  expect(feeds.get('a').head).toBe(0)
  expect(feeds.get('a\0b').head).toBe(7)
})

test('nothing grows: the last 500 are kept, all are counted', () => {
  const feeds = new SessionFeeds()
  feeds.subscribe('a', vi.fn<() => void>())
  for (let round = 0; round < 3; round += 1) {
    feeds.add(Array.from({ length: 400 }, (_, row) => event('a', round * 400 + row + 1)))
  }
  feeds.publish()
  const feed = feeds.get('a')
  expect([feed.head, feed.heard, feed.latest.length]).toEqual([1200, 1200, 500])
  expect(feed.latest[0]?.index).toBe(701)
})
