import { beforeEach, expect, it, vi } from 'vitest'

import { openApp } from './support/tables.ts'
import { type Client, copyFixture, open, until, viewAll } from './support/open.ts'

const LIST: Parameters<Client['sessions']['view']>[0] = {
  sort: 'activity',
  direction: 'desc',
  text: '',
  chips: [],
}

/** The sessions of small.db beside 65 MB that no table of a2 holds. */
function largeFile(): string {
  const path = copyFixture('small.db')
  const app = openApp(path)
  app.exec('create table other (content blob); insert into other values (zeroblob(68157440))')
  app.close()
  return path
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  return () => vi.useRealTimers()
})

it('shows the first sessions of a large file before anything is counted', async () => {
  const { client } = open(largeFile())
  const first = await client.sessions.view({ ...LIST, rows: { offset: 0, limit: 50 } })
  expect(first).toMatchObject({ total: 8, isListComplete: false, isWorkComplete: false })
  expect(first.rows).toHaveLength(8)
  // Asked again it still waits: nobody has had the time to see the first.
  expect(await client.sessions.view(LIST)).toMatchObject({ isListComplete: false })
  await vi.advanceTimersByTimeAsync(300)
  vi.useRealTimers()
  expect(await viewAll(client)).toMatchObject({ total: 8, chips: { dead: 1 } })
})

it('counts a large file at once for who asks what only counting tells', async () => {
  const { client } = open(largeFile())
  await client.sessions.view(LIST)
  const asked = client.deadLetters.view({ text: '' })
  vi.useRealTimers()
  await asked
  const found = await until(async () => {
    const view = await client.deadLetters.view({ text: '' })
    return view.isComplete ? view : null
  }, 'all dead letters')
  expect(found.total).toBe(1)
})

it('counts a small file before it answers', async () => {
  vi.useRealTimers()
  const { client } = open(copyFixture('small.db'))
  expect(await client.sessions.view(LIST)).toMatchObject({ total: 8, isListComplete: true })
})
