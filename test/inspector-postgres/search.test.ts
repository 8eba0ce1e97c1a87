import { describe, expect, it } from 'vitest'

import type { SearchCursor } from '../../src/model/search.ts'
import { openDatabase } from '../inspector/support/open.ts'
import { search, toMatches, toNames, toRequest } from '../inspector/support/search.ts'
import { gateTo, makeSchema } from './support/database.ts'
import { fillEvents } from './support/many-events.ts'
import { insertRows } from './support/rows.ts'

describe('a search in Postgres', () => {
  it('goes through the blocks, newest first, and finds each event once', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await fillEvents(app, { events: 12_000, sessions: 300, big: 4000 })
    const { background } = openDatabase({ postgres: await gateTo(schema) })
    const names: string[] = []
    const ends: string[] = []
    let after: SearchCursor | null = null
    while (ends.at(-1) !== 'complete') {
      // oxlint-disable-next-line no-await-in-loop -- each goes on from the one before
      const part = await search(background, { text: '', eventType: 'thing.3', after })
      names.push(...toNames(part.hits))
      ends.push(part.end)
      after = part.next
    }
    const { rows } = await app.query<{ session_id: string; idx: string }>(
      "select session_id, idx from a2_events where event_type = 'thing.3' order by ctid desc",
    )
    expect(names).toEqual(rows.map(({ session_id, idx }) => `${session_id} #${idx}`))
    expect(ends).toEqual([
      ...Array<string>(Math.floor(names.length / 1000)).fill('limit'),
      'complete',
    ])

    const own = await search(background, { text: '"n": 39', sessionId: 'big' })
    const { rows: stored } = await app.query<{ idx: string }>(
      `select idx from a2_events where session_id = 'big' and payload::text like '%"n": 39%' order by idx desc`,
    )
    expect(stored.length).toBeGreaterThan(50)
    expect(own.hits.map(({ index }) => String(index))).toEqual(stored.map(({ idx }) => idx))
  })

  it('finds rows that moved within the table while it went through it', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await fillEvents(app, { events: 4000, sessions: 200, big: 2000 })
    const { background } = openDatabase({ postgres: await gateTo(schema) })
    const wanted = { text: '', eventType: 'thing.*' }
    const first = await search(background, wanted)
    expect(first.end).toBe('limit')
    // Of the session that was stored first, and is looked at last.
    await app.query("update a2_events set claim_holder = repeat('x', 200) where session_id = 'big'")
    const names = toNames(first.hits)
    let { next } = first
    while (next !== null) {
      // oxlint-disable-next-line no-await-in-loop -- each goes on from the one before
      const part = await search(background, { ...wanted, after: next })
      names.push(...toNames(part.hits))
      ;({ next } = part)
    }
    const { rows } = await app.query<{ n: number }>(
      "select count(*)::int as n from a2_events where event_type like 'thing.%'",
    )
    expect(new Set(names).size).toBe(rows[0]?.n)
    expect(names.length).toBe(rows[0]?.n)
  })

  it('finds the text in a payload of 5 MB, and shows the part around it', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    const filler = 'é😟x'.repeat(300_000)
    await insertRows(app, [
      { session: 'a', index: 1, payload: JSON.stringify({ t: `${filler} Needle tail` }) },
      { session: 'a', index: 2, payload: JSON.stringify({ t: `${filler}needle${filler}` }) },
      { session: 'a', index: 3, payload: JSON.stringify({ t: filler }) },
      { session: 'a', index: 4, payload: JSON.stringify('nEEdle') },
    ])
    const { background } = openDatabase({ postgres: await gateTo(schema) })
    const { hits } = await search(background, { text: 'needle' })
    expect(hits.map((hit) => [hit.index, toMatches(hit)])).toEqual([
      [4, ['nEEdle']],
      [2, ['needle']],
      [1, ['Needle']],
    ])
    const [, middle, tail] = hits.map(({ snippet }) => snippet)
    expect(tail).toMatchObject({ isCutBefore: true, isCutAfter: false })
    expect(tail?.text.endsWith(' Needle tail"}')).toBe(true)
    expect(middle).toMatchObject({ isCutBefore: true, isCutAfter: true })
    for (const { snippet } of hits) {
      expect(snippet.text.isWellFormed()).toBe(true)
      expect(snippet.text.length).toBeLessThanOrEqual(200)
    }
    const exact = await search(background, { text: 'needle', matchCase: true })
    expect(toNames(exact.hits)).toEqual(['a #2'])
  })

  it('compares letters as the locale of the database has it, whatever the column’s own', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await app.query(`
      create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
      alter table a2_events alter event_type type text collate loose;
      alter table a2_events alter lane type text collate loose`)
    await insertRows(app, [{ session: 'a', index: 1, type: 'Tool.Called', lane: 'Lane' }])
    const { background } = openDatabase({ postgres: await gateTo(schema) })
    const { hits } = await search(background, { text: 'tool.', scope: 'everything' })
    expect(hits.map((hit) => [hit.field, toMatches(hit)])).toEqual([['type', ['Tool.']]])
    const prefix = await search(background, {
      text: 'lan',
      scope: 'everything',
      eventType: 'Tool*',
    })
    expect(prefix.hits.map((hit) => [hit.field, toMatches(hit)])).toEqual([['lane', ['Lan']]])
    expect((await search(background, { eventType: 'Tool.Called' })).hits).toHaveLength(1)
    expect((await search(background, { eventType: 'tool.called' })).hits).toEqual([])
  })

  it('leaves nothing open, and stops between two slices', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await fillEvents(app, { events: 12_000, sessions: 300, big: 4000 })
    const { background } = openDatabase({ postgres: await gateTo(schema) })
    const controller = new AbortController()
    const request = toRequest({ text: 'no such text' })
    const messages = await background.search(request, { signal: controller.signal })
    controller.abort()
    const heard: string[] = []
    try {
      for await (const message of messages) heard.push(message.kind)
    } catch {
      // A client may tell its own abort as an error.
    }
    expect(heard).not.toContain('end')
    const { rows } = await app.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'a2-inspector' and state like 'idle in%'`,
    )
    expect(rows).toEqual([])
  })
})
