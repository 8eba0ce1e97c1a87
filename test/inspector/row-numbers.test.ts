import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { makeFolder, open, until, viewAll } from './support/open.ts'
import { search, toNames } from './support/search.ts'
import { makeBareTables, openApp } from './support/tables.ts'

const LARGEST = 9_223_372_036_854_775_807n

/** `count` numbers, from one on, with the same gap between all. */
const spread = (count: number, first: bigint, gap: bigint): bigint[] =>
  Array.from({ length: count }, (_, n) => first + BigInt(n) * gap)

/** How other programs number rows; one event each, in this order, the first of them finished. */
const NUMBERINGS: readonly (readonly [string, readonly bigint[]])[] = [
  ['milliseconds of the clock', spread(1200, 1_768_213_834_800n, 86_400_000n)],
  ['microseconds of the clock', spread(1200, 1_768_213_834_800_000n, 3_600_000_000n)],
  ['a single row far away from the others', [1n, 2n, 3n, 9_007_199_254_740_991n]],
  ['more than a number can tell apart', spread(1200, 1n << 60n, 1n)],
  ['the largest there are', spread(600, LARGEST - 599n, 1n)],
  ['anything, once the largest is taken', [5n, 1n << 61n, 77_777_777_777n, LARGEST]],
  ['0 and below', [-LARGEST, -7n, 0n, 12n]],
]

function makeFile() {
  const path = join(makeFolder(), 'rows.db')
  const app = openApp(path)
  makeBareTables(app)
  const insert =
    app.prepare(`insert into a2_events (rowid, session_id, idx, event_type, payload, event_id,
    created_at, processed_at, failed_at) values (?, 's', ?, 't', 'needle', ?, 1, ?, ?)`)
  const add = (rowid: bigint, index: number): void => {
    const isDone = index === 1
    insert.run(rowid, index, `e${index}`, isDone ? 1 : null, isDone ? null : 2)
  }
  return { path, app, add }
}

describe('rows numbered by', () => {
  it.each(NUMBERINGS)('%s are all searched, found by id and counted', async (_, rowids) => {
    const count = rowids.length
    const names = rowids.map((__, n) => `s #${n + 1}`)
    const { path, app, add } = makeFile()
    app.transaction(() => rowids.forEach((rowid, n) => add(rowid, n + 1)))()
    const { client, background } = open(path)
    const found: string[] = []
    let part = await search(background, { text: 'needle' })
    found.push(...toNames(part.hits))
    while (part.end === 'limit') {
      // oxlint-disable-next-line no-await-in-loop -- each goes on from the one before
      part = await search(background, { text: 'needle', after: part.next })
      found.push(...toNames(part.hits))
    }
    expect(part.end).toBe('complete')
    expect(found).toHaveLength(count)
    expect(new Set(found)).toEqual(new Set(names))
    expect(await client.events.locate({ eventId: 'e1' })).toEqual({ sessionId: 's', index: 1 })
    expect(await client.events.locate({ eventId: 'nowhere' })).toBeNull()
    const { viewId } = await viewAll(client)
    const rows = await client.sessions.rows({ viewId, offset: 0, limit: 1 })
    expect(rows[0]?.work).toMatchObject({ dead: count - 1 })
  })

  // Each of these takes a second, as the background rests between two runs.
  const some = NUMBERINGS.filter((__, n) => n % 3 === 0)
  it.each(some)('%s are counted and searched when they come later', async (_, rowids) => {
    const count = rowids.length
    const { path, app, add } = makeFile()
    add(1_000_000n, 1)
    const { client, background } = open(path)
    await viewAll(client)
    app.transaction(() => rowids.forEach((rowid, n) => add(rowid, n + 2)))()
    await until(async () => {
      const { viewId } = await viewAll(client)
      const rows = await client.sessions.rows({ viewId, offset: 0, limit: 1 })
      return rows[0]?.work?.dead === count
    }, 'all are counted')
    const { hits, end } = await search(background, { text: 'needle' })
    expect(end).toBe(count + 1 > 1000 ? 'limit' : 'complete')
    expect(new Set(toNames(hits)).size).toBe(Math.min(1000, count + 1))
  })
})

it('a search that stopped where rows had numbers does not go on where they have none any more', async () => {
  const { path, app, add } = makeFile()
  app.transaction(() => spread(1200, 1n, 1n).forEach((rowid, n) => add(rowid, n + 1)))()
  const { background } = open(path)
  const first = await search(background, { text: 'needle' })
  expect(first.end).toBe('limit')
  add(LARGEST, 1201)
  const rest = await search(background, { text: 'needle', after: first.next })
  expect(rest).toMatchObject({ end: 'replaced', hits: [] })
})
