import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { type BackgroundClient, makeFolder, open } from './support/open.ts'
import { search, toMatches, toNames, toRequest, type Wanted } from './support/search.ts'
import { insertRows, makeBareTables, openApp, type NewRow } from './support/tables.ts'

function makeFile(rows: readonly NewRow[], options = '', encoding = 'UTF-8'): string {
  const path = join(makeFolder(), 'rows.db')
  const app = openApp(path)
  app.pragma(`encoding = '${encoding}'`)
  makeBareTables(app, options)
  insertRows(app, rows)
  return path
}

const many = (count: number, payload: (n: number) => string): NewRow[] =>
  Array.from({ length: count }, (_, n) => ({
    session: `s${n % 7}`,
    index: 1 + Math.floor(n / 7),
    payload: payload(n),
  }))

/** Goes on until all is found. */
async function searchOn(client: BackgroundClient, wanted: Wanted) {
  const names: string[] = []
  const ends: string[] = []
  let after = null
  while (ends.at(-1) !== 'complete') {
    // oxlint-disable-next-line no-await-in-loop -- each goes on from the one before
    const part = await search(client, { ...wanted, after })
    names.push(...toNames(part.hits))
    ends.push(part.end)
    after = part.next
  }
  return { names, ends }
}

describe('rows that are no JSON', () => {
  it('are searched whatever they hold', async () => {
    const path = makeFile([{ session: 'a', index: 1, payload: 'plain text, no JSON: needle' }])
    const app = openApp(path)
    const insert = app.prepare(
      `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
       values ('a', ?, 't', ?, ?, 1)`,
    )
    insert.run(2, 'needle before\0behind', 'e2')
    insert.run(3, Buffer.from('bytes with a needle'), 'e3')
    insert.run(5, '', 'e5')
    app.exec(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
      values ('a', 4, 't', cast(x'ff6e6565646c65fe' as text), 'e4', 1)`)
    const { background } = open(path)
    const { hits, end } = await search(background, { text: 'needle' })
    expect(end).toBe('complete')
    expect(hits.map(({ index, snippet }) => [index, snippet.text])).toEqual([
      [4, '\uFFFDneedle\uFFFD'],
      [3, 'bytes with a needle'],
      [2, 'needle before\0behind'],
      [1, 'plain text, no JSON: needle'],
    ])
    for (const hit of hits) expect(toMatches(hit)).toEqual(['needle'])
    expect(toNames((await search(background, { text: 'NEEDLE', matchCase: true })).hits)).toEqual(
      [],
    )
  })

  it('are found in a payload of 5 MB, wherever the text stands in it', async () => {
    const filler = 'é😟x'.repeat(5 * 131_072)
    const path = makeFile([
      { session: 'a', index: 1, payload: `${filler}Needle tail` },
      { session: 'a', index: 2, payload: `head nEEdle${filler}` },
      { session: 'a', index: 3, payload: `${filler}needle${filler}` },
      { session: 'a', index: 4, payload: filler },
    ])
    const { background } = open(path)
    const { hits } = await search(background, { text: 'NEEDLE' })
    expect(hits.map((hit) => [hit.index, toMatches(hit)])).toEqual([
      [3, ['needle']],
      [2, ['nEEdle']],
      [1, ['Needle']],
    ])
    const [middle, head, tail] = hits.map(({ snippet }) => snippet)
    expect(head).toMatchObject({ isCutBefore: false, isCutAfter: true })
    expect(tail).toMatchObject({ isCutBefore: true, isCutAfter: false })
    expect(middle).toMatchObject({ isCutBefore: true, isCutAfter: true })
    for (const snippet of [middle, head, tail]) {
      expect(snippet?.text.isWellFormed()).toBe(true)
      expect(snippet?.text.length).toBeLessThanOrEqual(200)
    }
    expect(toNames((await search(background, { text: 'nEEdle', matchCase: true })).hits)).toEqual([
      'a #2',
    ])
  })

  it.each(['UTF-16le', 'UTF-16be'])('are found in a database of %s', async (encoding) => {
    const path = makeFile(
      [
        { session: 'a', index: 1, payload: '{"t":"😟 Needle ü"}' },
        { session: 'a', index: 2, payload: `${'ü'.repeat(1_200_000)}needle` },
      ],
      '',
      encoding,
    )
    const { hits } = await search(open(path).background, { text: 'needle' })
    expect(hits.map((hit) => [hit.index, toMatches(hit)])).toEqual([
      [2, ['needle']],
      [1, ['Needle']],
    ])
    expect(hits[1]?.snippet.text).toBe('{"t":"😟 Needle ü"}')
  })
})

describe('every row is looked at once', () => {
  // One more than three times what one search tells.
  const rows = many(9003, (n) => (n % 3 === 0 ? `{"n":${n},"x":"needle"}` : `{"n":${n}}`))
  const named = rows
    .filter((_, n) => n % 3 === 0)
    .map(({ session, index }) => `${session} #${index}`)

  it('newest first', async () => {
    const { names, ends } = await searchOn(open(makeFile(rows)).background, { text: 'needle' })
    expect(names).toEqual(named.toReversed())
    expect(ends).toEqual(['limit', 'limit', 'limit', 'complete'])
  })

  it('in the order of the keys where rows have no numbers', async () => {
    const path = makeFile(rows, 'without rowid')
    const { names } = await searchOn(open(path).background, { text: 'needle' })
    expect(names).toHaveLength(3001)
    expect(new Set(names)).toEqual(new Set(named))
    const indexes = names
      .filter((name) => name.startsWith('s4 '))
      .map((name) => Number(name.slice(4)))
    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
  })

  it('wherever its number is', async () => {
    const path = makeFile([])
    const app = openApp(path)
    const insert = app.prepare(
      `insert into a2_events (rowid, session_id, idx, event_type, payload, event_id, created_at)
       values (?, 'a', ?, 't', 'needle', ?, 1)`,
    )
    const rowids = [1, 2, 1_000_000_000_000, Number.MAX_SAFE_INTEGER - 1]
    rowids.forEach((rowid, n) => insert.run(rowid, n + 1, `e${n}`))
    const { hits, end } = await search(open(path).background, { text: 'needle' })
    expect(toNames(hits)).toEqual(['a #4', 'a #3', 'a #2', 'a #1'])
    expect(end).toBe('complete')
  })

  it('in one session alone, newest first, past what was reclaimed', async () => {
    const stored = many(4000, () => 'needle').filter(({ index }) => index < 20 || index > 500)
    const { hits } = await search(open(makeFile(stored)).background, {
      text: 'needle',
      sessionId: 's3',
    })
    const own = stored.filter(({ session }) => session === 's3').map(({ index }) => index)
    expect(hits.map(({ index }) => index)).toEqual(own.toReversed())
    expect(new Set(hits.map(({ sessionId }) => sessionId))).toEqual(new Set(['s3']))
  })

  it('while new ones are appended', async () => {
    const path = makeFile(many(7000, () => '{"x":"needle"}'))
    const app = openApp(path)
    const { background } = open(path)
    const found: string[] = []
    let appended = 0
    let after = null
    let end = ''
    while (end !== 'complete') {
      // oxlint-disable-next-line no-await-in-loop
      for await (const message of await background.search(toRequest({ text: 'needle', after }))) {
        if (message.kind === 'end') {
          end = message.reason
          continue
        }
        found.push(...toNames(message.hits))
        after = message.next
        appended += 1
        insertRows(app, [{ session: 'new', index: appended, payload: '{"x":"needle"}' }])
      }
    }
    expect(appended).toBeGreaterThan(7)
    expect(found.filter((name) => !name.startsWith('new'))).toHaveLength(7000)
    expect(new Set(found).size).toBe(found.length)
  })
})

describe('a search', () => {
  it('tells the first hits before it has looked at everything', async () => {
    const path = makeFile(many(30_000, (n) => `{"n":${n},"text":"${'lorem ipsum '.repeat(20)}"}`))
    const { background } = open(path)
    const { steps, hits } = await search(
      background,
      { text: '"n":29990,' },
      ({ hits: some }) => some.length > 0,
    )
    expect(toNames(hits)).toEqual(['s2 #4285'])
    expect(steps.at(-1)?.progress.share).toBeLessThan(0.5)
    const all = await search(background, { text: 'no such text' })
    const shares = all.steps.map(({ progress }) => progress.share)
    expect(shares).toEqual(shares.toSorted((a, b) => a! - b!))
    expect(shares.at(-1)).toBe(1)
  })

  it('stops when nobody listens any more', async () => {
    const path = makeFile(many(30_000, (n) => `{"n":${n},"text":"${'lorem ipsum '.repeat(20)}"}`))
    const { background, close } = open(path)
    const before = await search(background, { text: 'lorem' }, () => true)
    expect(before.end).toBe('stopped')
    const controller = new AbortController()
    const messages = await background.search(toRequest({ text: 'no such text' }), {
      signal: controller.signal,
    })
    const ended = (async () => {
      for await (const message of messages) if (message.kind === 'end') return message.reason
      return 'stopped'
    })()
    controller.abort()
    expect(await ended.catch(() => 'stopped')).toBe('stopped')
    await close()
  })

  it('ends when another file stands there', async () => {
    const path = makeFile(many(3000, () => 'needle'))
    const other = makeFile(many(10, () => 'other needle'))
    const { background } = open(path)
    const first = await search(background, { text: 'needle' })
    expect(first.end).toBe('limit')
    renameSync(other, path)
    const rest = await search(background, { text: 'needle', after: first.next })
    expect(rest).toMatchObject({ end: 'replaced', hits: [] })
    expect((await search(background, { text: 'needle' })).hits).toHaveLength(10)
  })

  it('ends when the rows are numbered anew under it', async () => {
    const path = makeFile(many(9000, () => '{"x":"needle"}'))
    const app = openApp(path)
    app.exec('delete from a2_events where idx % 2 = 0')
    let isDone = false
    const { end } = await search(open(path).background, { text: 'needle' }, () => {
      if (!isDone) app.exec('vacuum')
      isDone = true
      return false
    })
    expect(end).toBe('replaced')
  })

  it('leaves no trace', async () => {
    const path = makeFile(many(100, () => 'needle'))
    openApp(path).pragma('wal_checkpoint(truncate)')
    const before = readFileSync(path)
    const { background, close } = open(path)
    await search(background, { text: 'needle', scope: 'everything' })
    await close()
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toEqual([basename(path)])
  })
})
