import Database from 'better-sqlite3'
import { copyFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { outputOf, startChild } from './support/children.ts'
import { listen } from './support/listen.ts'
import { copyFixture, failureOf, makeFolder, open, until, viewAll } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const nameOf = ({ sessionId, index }: { sessionId: string; index: number }): string =>
  `${sessionId}#${index}`

describe('the tail', () => {
  it('tells each event of another process once, in order, and is never in its way', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    await viewAll(client)
    const [visible, hidden] = [await listen(client), await listen(client, false)]
    const number = 600
    const output = outputOf(startChild('append', [path, String(number), '200']))
    const done = new AbortController()
    const browsing = (async () => {
      while (!done.signal.aborted) {
        const view = await viewAll(client)
        await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 50 })
        await client.events.range({ sessionId: 'live-0', from: 1, to: 500 })
        await sleep(5)
      }
    })()
    expect(JSON.parse(await output)).toEqual({ appended: number, busy: 0 })
    done.abort()
    await browsing
    const wanted = Array.from(
      { length: number },
      (_, n) => `live-${n % 7}#${Math.floor(n / 7) + 1}`,
    )
    for (const { events } of [visible, hidden]) {
      await until(() => events().length >= number, 'all events heard')
      expect(events().map(nameOf)).toEqual(wanted)
    }
  }, 20_000)

  it('goes on by batches when much is committed at once', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    const { events, heard } = await listen(client)
    const rows = Array.from({ length: 7001 }, (_, n) => ({ session: 'many', index: n + 1 }))
    insertRows(app, rows)
    await until(() => events().length === rows.length, 'all events heard')
    expect(events().map(({ index }) => index)).toEqual(rows.map(({ index }) => index))
    const sizes = heard.flatMap((one) => (one.kind === 'events' ? [one.events.length] : []))
    expect(Math.max(...sizes)).toBe(2000)
  })

  it('tells of changes that append nothing', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    const { client } = open(path)
    await viewAll(client)
    const { hear, heard } = await listen(client)
    await until(() => heard.some(({ kind }) => kind === 'counts'), 'the first counts')
    const after = heard.length
    app.exec(
      'update a2_events set failed_at = null, failure_count = 0 where failed_at is not null and processed_at is null',
    )
    await hear('changed', after)
    const counts = await until(
      () => heard.slice(after).find((one) => one.kind === 'counts' && one.deadLetters === 0),
      'no dead letter counted',
    )
    expect(counts).toMatchObject({ sessions: 8, isListComplete: true, isWorkComplete: true })
  })

  it('does not take its own reading for a change', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    insertRows(app, [{ session: 'r', index: 1 }])
    const { client } = open(path)
    const { hear, heard } = await listen(client)
    await viewAll(client)
    const after = heard.length
    insertRows(app, [{ session: 'r', index: 2 }])
    await hear('changed', after)
    // A second later nothing that the commit set off is still going on.
    await sleep(1500)
    const quiet = heard.length
    for (let n = 0; n < 5; n += 1) {
      await client.sessions.get({ sessionId: 'r' })
      await sleep(100)
    }
    expect(heard.slice(quiet).filter(({ kind }) => kind === 'changed')).toEqual([])
  })

  it('tells that writing was unlocked and locked', async () => {
    const { client } = open(copyFixture('small.db'))
    const { hear, heard } = await listen(client)
    expect(heard[0]).toMatchObject({ kind: 'hello', isWritingUnlocked: false })
    await client.writing.unlock()
    expect(await hear('writing')).toEqual({ kind: 'writing', isUnlocked: true })
    expect((await listen(client)).heard[0]).toMatchObject({ isWritingUnlocked: true })
  })

  it('follows a table without rowids by the heads of its sessions', async () => {
    const path = join(makeFolder(), 'bare.db')
    const app = openApp(path)
    makeBareTables(app, 'without rowid')
    insertRows(app, [{ session: 'a', index: 1 }])
    const { client } = open(path)
    const { events } = await listen(client)
    insertRows(app, [
      { session: 'a', index: 2 },
      { session: 'b', index: 1 },
      { session: 'a', index: 3 },
    ])
    await until(() => events().length === 3, 'all events heard')
    expect(events().map(nameOf)).toEqual(['a#2', 'a#3', 'b#1'])
  })
})

describe('a file that does not stay the same', () => {
  it('is missing, and comes back', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    await viewAll(client)
    const { hear, events } = await listen(client)
    renameSync(path, `${path}.away`)
    expect((await hear('trouble')).trouble).toEqual({ kind: 'not-found', path, code: 'ENOENT' })
    renameSync(`${path}.away`, path)
    expect((await hear('reopened')).reason).toBe('returned')
    insertRows(openApp(path), [{ session: 'afterwards', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
  })

  it('is replaced by another: all is read anew, old lists are no longer answered', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    const view = await viewAll(client)
    const { hear, events } = await listen(client)
    const other = join(makeFolder(), 'other.db')
    const made = new Database(other)
    makeBareTables(made)
    insertRows(made, [{ session: 'of the other', index: 1 }])
    made.close()
    rmSync(`${path}-wal`, { force: true })
    rmSync(`${path}-shm`, { force: true })
    renameSync(other, path)
    expect((await hear('reopened')).reason).toBe('replaced')
    const rows = client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 10 })
    expect(await failureOf(rows)).toEqual({ code: 'NOT_FOUND', data: { what: 'view' } })
    const anew = await until(async () => {
      const next = await viewAll(client)
      return next.known === 1 ? next : null
    }, 'the other file listed')
    const [row] = await client.sessions.rows({ viewId: anew.viewId, offset: 0, limit: 10 })
    expect(row?.id).toBe('of the other')
    expect(await client.facts()).toMatchObject({ hasWorkIndex: false, journalMode: 'delete' })
    insertRows(openApp(path), [{ session: 'afterwards', index: 1 }])
    await until(() => events().map(nameOf).join(' ') === 'afterwards#1', 'the event heard')
  })

  it('is restored in place from an older copy', async () => {
    const path = copyFixture('small.db')
    const older = join(makeFolder(), 'older.db')
    copyFileSync(path, older)
    const app = new Database(path)
    insertRows(app, [{ session: 'lost', index: 1 }])
    app.close()
    const { client } = open(path)
    await viewAll(client)
    const { hear } = await listen(client)
    copyFileSync(older, path)
    expect((await hear('reopened')).reason).toBe('restored')
    await until(async () => (await viewAll(client)).known === 8, 'the older state listed')
  })

  it.each([
    ['just now', 0],
    ['long ago', 3600],
  ])(
    'is restored in place while it is being read, after the last write was %s',
    async (_, agoS) => {
      const path = copyFixture('small.db')
      const older = join(makeFolder(), 'older.db')
      copyFileSync(path, older)
      const app = new Database(path)
      insertRows(app, [{ session: 'lost', index: 1 }])
      app.close()
      const writtenAt = Date.now() / 1000 - agoS
      utimesSync(path, writtenAt, writtenAt)
      const { client } = open(path)
      expect(await client.events.range({ sessionId: 'lost', from: 1, to: 1 })).toHaveLength(1)
      // The handle of that question is still open.
      copyFileSync(older, path)
      expect(await client.events.range({ sessionId: 'lost', from: 1, to: 1 })).toEqual([])
    },
  )

  it('is restored while nobody listens', async () => {
    const path = copyFixture('small.db')
    const older = join(makeFolder(), 'older.db')
    copyFileSync(path, older)
    const app = new Database(path)
    insertRows(app, [{ session: 'lost', index: 1 }])
    app.close()
    const { client } = open(path)
    expect(await viewAll(client)).toMatchObject({ known: 9 })
    copyFileSync(older, path)
    await until(async () => (await viewAll(client)).known === 8, 'the older state listed')
  })

  it('is vacuumed: nothing is missed or told twice, and nobody is told that it was restored', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    // A gap in the rowids, so that the vacuum moves them.
    app.exec("delete from a2_events where session_id = 'order:ord_2026_000917'")
    const { client } = open(path)
    await viewAll(client)
    const { events, heard, hear } = await listen(client)
    insertRows(app, [{ session: 'v', index: 1 }])
    await until(() => events().length === 1, 'the first event heard')
    const after = heard.length
    app.exec('vacuum')
    await hear('changed', after)
    insertRows(app, [
      { session: 'v', index: 2 },
      { session: 'v', index: 3 },
    ])
    await until(() => events().length === 3, 'the others heard')
    expect(events().map(nameOf)).toEqual(['v#1', 'v#2', 'v#3'])
    expect(heard.filter(({ kind }) => kind === 'reopened')).toEqual([])
    const view = await viewAll(client)
    expect(view).toMatchObject({ known: 8, chips: { dead: 1, pending: 5 } })
  })

  it('loses the reclaimed event the tail stood at: that is no restore', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    insertRows(app, [{ session: 'r', index: 1 }])
    const { client } = open(path)
    const { events, heard } = await listen(client)
    app.transaction(() => {
      insertRows(app, [{ session: 'r', index: 2, type: 'a2.session.cleared', payload: 'null' }])
      app.exec(
        "insert into a2_clears values ('r', 2); delete from a2_events where session_id = 'r' and idx = 1",
      )
    })()
    await until(() => events().length === 1, 'the marker heard')
    expect(heard.filter(({ kind }) => kind === 'reopened')).toEqual([])
  })

  it('is cut short, then whole again', async () => {
    const path = copyFixture('small.db')
    const whole = join(makeFolder(), 'whole.db')
    copyFileSync(path, whole)
    const { client } = open(path)
    await viewAll(client)
    const { hear } = await listen(client)
    truncateSync(path, 0)
    expect((await hear('trouble')).trouble.kind).toBe('empty-file')
    copyFileSync(whole, path)
    expect((await hear('reopened')).reason).toBe('returned')
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })

  it('turns into something else, and back', async () => {
    const path = copyFixture('small.db')
    const whole = join(makeFolder(), 'whole.db')
    copyFileSync(path, whole)
    const { client } = open(path)
    const { hear } = await listen(client)
    writeFileSync(path, 'text '.repeat(2000))
    expect((await hear('trouble')).trouble.kind).toBe('not-a-database')
    copyFileSync(whole, path)
    await hear('reopened')
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })

  it('is whole again: who asks then is not told what was wrong before', async () => {
    const path = copyFixture('small.db')
    const whole = join(makeFolder(), 'whole.db')
    copyFileSync(path, whole)
    const { client } = open(path)
    await viewAll(client)
    const { hear, heard } = await listen(client)
    const bad = { code: 'DATABASE_TROUBLE', data: { kind: 'not-a-database', path } }
    writeFileSync(path, 'text '.repeat(2000))
    await hear('trouble')
    expect(await failureOf(client.deadLetters.view({ text: '' }))).toMatchObject(bad)
    // Long enough for the background to look at it, too, and to have rested; then it has just looked again.
    await new Promise((resolve) => setTimeout(resolve, 1200))
    writeFileSync(path, 'more text '.repeat(2000))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const after = heard.length
    copyFileSync(whole, path)
    await hear('reopened', after)
    expect(await client.deadLetters.view({ text: '' })).toMatchObject({ total: 1 })
    const { viewId } = await viewAll(client)
    expect(await client.sessions.rows({ viewId, offset: 0, limit: 9 })).toHaveLength(8)
  })

  it('gets its table only after it was opened', async () => {
    const path = join(makeFolder(), 'early.db')
    const app = openApp(path)
    app.exec('create table other (id integer)')
    const { client } = open(path)
    const { hear, events } = await listen(client)
    expect((await hear('trouble')).trouble.kind).toBe('not-a2')
    makeBareTables(app)
    await hear('reopened')
    insertRows(app, [{ session: 'first', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
  })
})

describe('subscriptions', () => {
  it('end when the inspector is closed', async () => {
    const { client, close } = open(copyFixture('small.db'))
    const messages = await client.live({ isVisible: true })
    await messages.next()
    const rest = (async () => {
      for await (const message of messages) if (message.kind === 'trouble') throw new Error()
    })()
    await close()
    await rest
    expect(await failureOf(client.facts())).toMatchObject({ code: 'DATABASE_TROUBLE' })
  })

  it('end when the caller stops listening, also in the middle of waiting', async () => {
    const { client } = open(copyFixture('small.db'))
    const stop = new AbortController()
    const messages = await client.live({ isVisible: true }, { signal: stop.signal })
    await messages.next()
    const waiting = (async () => {
      for (;;) if ((await messages.next()).done === true) return true
    })()
    await messages.return?.()
    expect(await waiting).toBe(true)
  })
})
