import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { listen } from './support/listen.ts'
import { type Client, copyFixture, makeFolder, open, until, viewAll } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

/** In the order of their bytes, which is the database's. */
const IDS = [
  '',
  '\u0000',
  ' ',
  '"quoted" \'text\'; drop table a2_events; --',
  '%_\\',
  '0',
  '<img src=x onerror=alert(1)>',
  'a',
  'a\u0000',
  'a\u0000b',
  'a\tb\nc',
  'ab',
  'null',
  'x'.repeat(4000),
  `${'x'.repeat(4000)}y`,
  '\u007f',
  'é',
  'e\u0301',
  'שלום עולם',
  '\u202eright to left',
  '\ufeffwith a mark',
  '\uffff',
  '😀',
  '👩‍👩‍👧‍👦',
].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

function makeUgly(): string {
  const path = join(makeFolder(), 'ids.db')
  const app = openApp(path)
  makeBareTables(app)
  insertRows(
    app,
    IDS.map((session, n) => ({
      session,
      index: 1,
      id: `e${n}`,
      processedAt: null,
      failedAt: 100 - n,
      failures: 1,
      lane: session,
    })),
  )
  return path
}

async function listedIds(client: Client, wanted: Parameters<typeof viewAll>[1] = {}) {
  const view = await viewAll(client, { sort: 'id', direction: 'asc', ...wanted })
  const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
  return rows.map((row) => row?.id)
}

describe('session ids are any text', () => {
  it('lists each once, in the order of the database', async () => {
    const { client } = open(makeUgly())
    expect(await listedIds(client)).toEqual(IDS)
    expect(await listedIds(client, { direction: 'desc' })).toEqual(IDS.toReversed())
  })

  it.each(IDS.map((id, n) => [JSON.stringify(id).slice(0, 30), id, n] as const))(
    'answers for %s and for no other',
    async (_, sessionId, n) => {
      const { client } = open(makeUgly())
      const { summary } = await client.sessions.get({ sessionId })
      expect(summary).toMatchObject({ id: sessionId, head: 1, live: 1, work: { dead: 1 } })
      const rows = await client.events.range({ sessionId, from: 1, to: 500 })
      // A list cuts a name without end; the details have it whole.
      const listed = sessionId.length > 2000 ? `${sessionId.slice(0, 2000)}…` : sessionId
      expect(rows.map(({ id, lane }) => [id, lane])).toEqual([[`e${n}`, listed]])
      expect((await client.events.get({ sessionId, index: 1 })).lane).toBe(sessionId)
      expect(await client.events.locate({ eventId: `e${n}` })).toEqual({ sessionId, index: 1 })
      expect((await client.sessions.find({ text: sessionId, limit: 1 }))[0]).toBe(sessionId)
      await client.writing.unlock()
      const outcome = await client.actions.redrive({ sessionId, index: 1, action: 'skip' })
      expect(outcome.outcome).toBe('done')
      const view = await client.deadLetters.view({ text: '' })
      const dead = await client.deadLetters.rows({ viewId: view.viewId, offset: 0, limit: 200 })
      expect(dead.map((one) => one.sessionId)).toEqual(IDS.filter((id) => id !== sessionId))
      const { entries } = await client.audit({ scope: 'database', beforeOffset: null, limit: 1 })
      expect(entries[0]?.sessionId).toBe(sessionId)
    },
  )

  it('puts new ones where they belong, and tells of them', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    const known = await listedIds(client)
    const { events } = await listen(client)
    insertRows(
      openApp(path),
      IDS.map((session, n) => ({ session, index: 1, id: `e${n}` })),
    )
    await until(() => events().length === IDS.length, 'all heard')
    expect(events().map(({ sessionId }) => sessionId)).toEqual(IDS)
    const all = [...known, ...IDS].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? '')),
    )
    expect(
      await until(async () => {
        const ids = await listedIds(client)
        return ids.length === all.length ? ids : null
      }, 'all listed'),
    ).toEqual(all)
  })

  it('filters by text anywhere, ignoring case, taking every character as itself', async () => {
    const { client } = open(makeUgly())
    expect(await listedIds(client, { text: '%_' })).toEqual(['%_\\'])
    expect(await listedIds(client, { text: 'RIGHT' })).toEqual(['\u202eright to left'])
    expect(await listedIds(client, { text: 'É' })).toEqual(['é'])
    expect(await listedIds(client, { text: 'no such' })).toEqual([])
  })

  it('does not loop over ids that are no valid text, and leaves out what is no text', async () => {
    const path = join(makeFolder(), 'broken.db')
    const app = openApp(path)
    makeBareTables(app)
    insertRows(app, [{ session: 'fine', index: 1 }])
    for (const [n, id] of [
      "cast(x'ff' as text)",
      "cast(x'ff00' as text)",
      "cast(x'c3' as text)",
      "x'00'",
      "x'ff'",
    ].entries()) {
      app.exec(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
        values (${id}, 1, 't', '{}', 'b${n}', 1)`)
    }
    const { client } = open(path)
    const ids = await listedIds(client)
    expect(ids).toContain('fine')
    expect(ids.length).toBeLessThanOrEqual(4)
    expect(await client.deadLetters.view({ text: '' })).toMatchObject({ total: 0 })
  })
})
