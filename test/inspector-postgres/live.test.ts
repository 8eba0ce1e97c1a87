import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { listen } from '../inspector/support/listen.ts'
import { FIXTURE_NOW, openDatabase, until, viewAll } from '../inspector/support/open.ts'
import { copyToPostgres, gateTo, makeSchema } from './support/database.ts'
import { insertRows } from './support/rows.ts'

const nameOf = ({ sessionId, index }: { sessionId: string; index: number }): string =>
  `${sessionId}#${index}`

async function openFixture() {
  const schema = await copyToPostgres('small.db')
  const { client } = openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW })
  return { schema, client, app: await schema.connect() }
}

describe('the tail on Postgres', () => {
  it('tells each event of other programs once, those of a session in order', async () => {
    const { schema, client } = await openFixture()
    await viewAll(client)
    const listeners = [await listen(client), await listen(client, false)]
    const sessions = Array.from({ length: 7 }, (_, n) => `live-${n}`)
    // Each session has its writer; commits of different sessions overlap.
    await Promise.all(
      sessions.map(async (session) => {
        const app = await schema.connect()
        for (let index = 1; index <= 60; index += 1) {
          /* oxlint-disable no-await-in-loop -- one after the other is what is tested */
          await insertRows(app, [{ session, index, processedAt: null }])
          if (index % 3 === 0) {
            await app.query('update a2_events set attempt_count = 1 where session_id = $1', [
              session,
            ])
          }
          await sleep(2)
          /* oxlint-enable no-await-in-loop */
        }
      }),
    )
    for (const { events } of listeners) {
      // oxlint-disable-next-line no-await-in-loop -- one listener after the other
      await until(() => events().length >= 420, 'all events heard')
      for (const session of sessions) {
        const heard = events().filter(({ sessionId }) => sessionId === session)
        expect(heard.map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
      }
      expect(events()).toHaveLength(420)
    }
  })

  it('goes on by batches when much is committed at once', async () => {
    const { client, app } = await openFixture()
    const { events, heard } = await listen(client)
    const rows = Array.from({ length: 7001 }, (_, n) => ({ session: 'many', index: n + 1 }))
    await insertRows(app, rows)
    await until(() => events().length >= rows.length, 'all events heard')
    expect(events().map(({ index }) => index)).toEqual(rows.map(({ index }) => index))
    const sizes = heard.flatMap((one) => (one.kind === 'events' ? [one.events.length] : []))
    expect(Math.max(...sizes)).toBe(2000)
  })

  it('finds events in sessions old and new whose rows went into space given free', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    const filler = Array.from({ length: 4000 }, (_, n) => ({
      session: `s${n % 50}`,
      index: 1 + Math.floor(n / 50),
    }))
    await insertRows(app, filler)
    // The first blocks become free; new rows go there, far from the newest blocks.
    await app.query(
      "delete from a2_events where session_id in ('s1', 's2', 's3', 's4', 's5', 's6')",
    )
    await app.query('vacuum a2_events')
    const { client } = openDatabase({ postgres: await gateTo(schema) })
    await viewAll(client)
    const { events } = await listen(client)
    await insertRows(app, [
      { session: 's7', index: 81 },
      { session: 'new', index: 1 },
    ])
    const { rows } = await app.query<{ block: number }>(
      "select (ctid::text::point)[0]::int as block from a2_events where session_id = 'new'",
    )
    expect(rows[0]?.block).toBeLessThan(20)
    await until(() => events().length >= 2, 'both heard')
    expect(events().map(nameOf).toSorted()).toEqual(['new#1', 's7#81'])
  })

  it('tells of a change to rows on screen that nothing else shows', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    const rows = Array.from({ length: 4000 }, (_, n) => ({ session: 'one', index: n + 1 }))
    await insertRows(app, rows)
    const { client } = openDatabase({ postgres: await gateTo(schema) })
    await client.events.range({ sessionId: 'one', from: 1, to: 100 })
    const { heard, hear } = await listen(client)
    await until(() => heard.some(({ kind }) => kind === 'counts'), 'the first counts')
    await client.events.range({ sessionId: 'one', from: 1, to: 100 })
    const changes = () => heard.filter(({ kind }) => kind === 'changed').length
    await until(async () => {
      const before = changes()
      await sleep(300)
      return changes() === before
    }, 'all quiet')
    const after = heard.length
    // Then the statistics do not tell, and the newest blocks are far away: only the rows themselves do.
    await app.query('set track_counts = off')
    await app.query('update a2_events set failed_at = 5, processed_at = null where idx = 50')
    await hear('changed', after)
    const [row] = await client.events.range({ sessionId: 'one', from: 50, to: 50 })
    expect(row?.state).toBe('dead')
  })

  it('says nothing while only other tables of the server are written', async () => {
    const { client, app } = await openFixture()
    await app.query('create table other (n integer)')
    await viewAll(client)
    const { heard } = await listen(client)
    // The first look has nothing to compare with, and what was copied in is in the statistics at last.
    await app.query('insert into other values (0)')
    await sleep(1500)
    const changes = () => heard.filter(({ kind }) => kind === 'changed').length
    const before = changes()
    for (let n = 0; n < 40; n += 1) {
      // oxlint-disable-next-line no-await-in-loop -- each a commit of its own
      await app.query('insert into other values ($1)', [n])
    }
    await sleep(500)
    expect(changes()).toBe(before)
  })

  it('counts again after a dead letter was redriven by another program', async () => {
    const { client, app } = await openFixture()
    await viewAll(client)
    const { heard } = await listen(client)
    await until(
      () => heard.some((one) => one.kind === 'counts' && one.deadLetters === 1),
      'one dead',
    )
    await app.query(
      'update a2_events set failed_at = null, failure_count = 0 where failed_at is not null and processed_at is null',
    )
    const counts = await until(
      () => heard.find((one) => one.kind === 'counts' && one.deadLetters === 0),
      'no dead letter counted',
    )
    expect(counts).toMatchObject({ sessions: 8, isListComplete: true, isWorkComplete: true })
  })

  it('notices that the tables were emptied and filled anew', async () => {
    const { client, app } = await openFixture()
    await viewAll(client)
    const { hear, events } = await listen(client)
    await app.query('begin; truncate a2_events, a2_clears, a2_snapshots')
    await insertRows(app, [{ session: 'scheduler:daily', index: 1 }])
    await app.query('commit')
    expect((await hear('reopened')).reason).toBe('restored')
    await until(async () => (await viewAll(client)).known === 1, 'the new state listed')
    await insertRows(app, [{ session: 'scheduler:daily', index: 2 }])
    await until(
      () => events().some((one) => nameOf(one) === 'scheduler:daily#2'),
      'the event heard',
    )
  })

  it('notices tables that are replaced, and that come only later', async () => {
    const schema = await makeSchema()
    const app = await schema.connect()
    await app.query('alter table a2_events rename to kept')
    const { client } = openDatabase({ postgres: await gateTo(schema) })
    const { hear, events } = await listen(client)
    expect((await hear('trouble')).trouble.kind).toBe('no-a2-tables')
    await app.query('create table a2_events (like kept including all)')
    expect((await hear('reopened')).reason).toBe('returned')
    await insertRows(app, [{ session: 'first', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
  })

  it('goes on after the connections were ended by the server', async () => {
    const { client, app } = await openFixture()
    await viewAll(client)
    const { events } = await listen(client)
    await app.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'a2-inspector'",
    )
    await insertRows(app, [{ session: 'after', index: 1 }])
    await until(() => events().length === 1, 'the event heard')
    expect(await client.events.range({ sessionId: 'after', from: 1, to: 9 })).toHaveLength(1)
  })
})
