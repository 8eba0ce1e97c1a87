import { setTimeout as sleep } from 'node:timers/promises'
import type { Client as PgClient } from 'pg'
import { describe, expect, it } from 'vitest'

import type { PostgresServer } from '../../src/inspector/postgres/server.ts'
import type { Row, Statement, Transaction } from '../../src/store/postgres/connection.ts'
import { listen } from '../inspector/support/listen.ts'
import { FIXTURE_NOW, openDatabase, until } from '../inspector/support/open.ts'
import { copyToPostgres, dump, gateTo, servers } from './support/database.ts'
import { allCallsOf, browse } from './support/screens.ts'

/** What the server holds for us: locks, transactions, connections. */
async function tracesOf(app: PgClient) {
  const { rows: locks } = await app.query(
    `select l.locktype, l.mode, l.relation::regclass::text from pg_locks l
       join pg_stat_activity a on a.pid = l.pid where a.datname = current_database() and a.application_name = 'a2-inspector'`,
  )
  const { rows: activity } = await app.query<{
    state: string
    xact_start: unknown
    backend_xmin: unknown
  }>(
    `select state, xact_start, backend_xmin from pg_stat_activity
      where datname = current_database() and application_name = 'a2-inspector'`,
  )
  return { locks, activity }
}

/** A transaction's statements one by one on a connection that reads. */
async function actOn<T>(
  reader: PostgresServer['interactive'],
  act: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const kept: Statement[] = []
  const run = async (...statements: readonly Statement[]): Promise<Row[][]> => {
    const rows: Row[][] = []
    for (const statement of [...kept.splice(0), ...statements]) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      rows.push(await reader.query(statement))
    }
    return rows.slice(rows.length - statements.length)
  }
  const answer = await act({
    send: run,
    commit: run,
    later: (statement) => void kept.push(statement),
  })
  await run()
  return answer
}

describe.each([...servers])('on $name', (server) => {
  it('every screen opened once leaves no lock and no transaction', async () => {
    const schema = await copyToPostgres('small.db', server)
    const opened = openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW })
    const app = await schema.connect()
    for (const [name, call] of Object.entries(allCallsOf(opened))) {
      /* oxlint-disable no-await-in-loop -- each screen by itself */
      await call().catch(() => undefined)
      // What runs in the background ends by itself.
      await until(async () => {
        const { locks, activity } = await tracesOf(app)
        expect(activity.length).toBeLessThanOrEqual(3)
        const isIdle = activity.every(
          ({ state, ...held }) =>
            state === 'idle' && held.xact_start === null && held.backend_xmin === null,
        )
        return isIdle && locks.length === 0
      }, `nothing held after ${name}`)
      /* oxlint-enable no-await-in-loop */
    }
  })

  it('tables can be altered at any moment while it is used', async () => {
    const schema = await copyToPostgres('small.db', server)
    const { client } = openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW })
    const app = await schema.connect()
    await app.query("set lock_timeout = '2s'")
    const { heard } = await listen(client)
    const done = new AbortController()
    const browsing = (async () => {
      while (!done.signal.aborted) await browse(client)
    })()
    for (let n = 0; n < 20; n += 1) {
      /* oxlint-disable no-await-in-loop -- at several moments */
      await app.query(`alter table a2_events add column added_${n} numeric default 1.50`)
      await sleep(40)
      /* oxlint-enable no-await-in-loop */
    }
    done.abort()
    await browsing
    expect(heard.filter(({ kind }) => kind === 'trouble')).toEqual([])
    const facts = await until(async () => {
      const found = await client.facts()
      return found.unknownColumns.length === 20 ? found : null
    }, 'all columns seen')
    expect(facts.unknownColumns).toContain('a2_events.added_19')
    const { unknownColumns } = await client.events.get({ sessionId: 'scheduler:daily', index: 1 })
    expect(unknownColumns.at(-1)).toMatchObject({
      name: 'added_19',
      storage: 'numeric',
      text: '1.50',
    })
  })

  it('a table that is altered in the middle of a question, there and back, is asked again', async () => {
    const schema = await copyToPostgres('small.db', server)
    const gate = await gateTo(schema)
    const app = await schema.connect()
    const add = 'alter table a2_events add column added text'
    await app.query(add)
    // What else is to happen before statements that contain these texts, each once.
    const before: { readonly text: string; readonly sql: string }[] = []
    const interactive: PostgresServer['interactive'] = {
      query: async (statement, options) => {
        const at = before.findIndex(({ text }) => statement.sql.includes(text))
        const [next] = at === -1 ? [] : before.splice(at, 1)
        if (next !== undefined) await app.query(next.sql)
        return gate.interactive.query(statement, options)
      },
    }
    const { client } = openDatabase({ postgres: { ...gate, interactive } }, { now: FIXTURE_NOW })
    const read = async () => {
      const event = await client.events.get({ sessionId: 'scheduler:daily', index: 1 })
      return event.unknownColumns.map(({ name }) => name)
    }
    expect(await read()).toEqual(['added'])
    before.push(
      { text: '"added"', sql: 'alter table a2_events drop column added' },
      { text: 'pg_attribute', sql: add },
    )
    expect(await read()).toEqual(['added'])
    expect(before).toEqual([])
    before.push({ text: '"added"', sql: 'alter table a2_events drop column added' })
    expect(await read()).toEqual([])
  })

  it('no procedure writes anything over the connections that read', async () => {
    const schema = await copyToPostgres('small.db', server)
    const gate = await gateTo(schema)
    // A gate that would let every write through, but only to a connection that reads.
    const readOnly: PostgresServer = {
      ...gate,
      unlock: async () => ({ outcome: 'unlocked', until: Date.now() + 60_000 }),
      lock: async () => {},
      onWriting: (listener) => {
        listener(Date.now() + 60_000)
        return () => {}
      },
      write: (run) =>
        run({
          query: (statement) => gate.interactive.query(statement),
          transaction: (act) => actOn(gate.interactive, act),
        }),
    }
    const opened = openDatabase({ postgres: readOnly }, { now: FIXTURE_NOW })
    const app = await schema.connect()
    const before = await dump(app)
    const calls = allCallsOf(opened)
    const answers: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(calls)) {
      // oxlint-disable-next-line no-await-in-loop -- each by itself
      answers[name] = await call().catch((error: unknown) => error)
    }
    expect(answers['actions.clear']).toMatchObject({ outcome: 'refused', reason: 'read-only' })
    expect(answers['actions.redrive']).toMatchObject({ outcome: 'refused', reason: 'read-only' })
    expect(answers['actions.reclaim']).toMatchObject({ status: 'failed', deleted: 0 })
    expect(await dump(app)).toBe(before)
  })
})
