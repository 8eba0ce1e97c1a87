import { expect, it, onTestFinished } from 'vitest'

import type { StatementReader } from '../../src/inspector/postgres/server.ts'
import { openDatabase, viewAll } from '../inspector/support/open.ts'
import { startProxy } from '../postgres-connect/support/proxy.ts'
import { copyToPostgres, gateTo } from './support/database.ts'
import { allCallsOf } from './support/screens.ts'

/** Instead of the seven and ten seconds of a real gate. */
const DEADLINE_MS = 600
/** A screen may ask two questions one after the other; and a slow machine. */
const LIMIT_MS = 2 * DEADLINE_MS + 4_000

/** What is answered without the server. */
const ANSWERED = [
  'footprint',
  // What was listed before.
  'sessions.view',
  'sessions.counts',
  'writing.lock',
  'connection.state',
  'connection.reconnect',
  'actions.stopReclaim',
  'audit',
  'live',
]
const LOCKED = ['actions.clear', 'actions.reclaim', 'actions.redrive']

it('over a line that swallows everything each procedure ends in time, with the reason', async () => {
  const schema = await copyToPostgres('small.db')
  const proxy = await startProxy(Number(new URL(schema.server.connectionString).port))
  onTestFinished(() => proxy.close())
  const gate = await gateTo(schema, { port: proxy.port, connectDeadlineMs: DEADLINE_MS })
  const hurried = (reader: StatementReader): StatementReader => ({
    query: (statement) => reader.query(statement, { deadlineMs: DEADLINE_MS }),
  })
  const { interactive, background } = gate
  const opened = openDatabase({
    postgres: { ...gate, interactive: hurried(interactive), background: hurried(background) },
  })
  await viewAll(opened.client)
  const { 'connection.cancel': _, ...calls } = allCallsOf(opened)
  proxy.mode = 'black-hole'
  const startedAt = performance.now()
  const ends = await Promise.all(
    Object.entries(calls).map(async ([name, call]) => {
      const end = await call().then(() => 'answered', endOf)
      return { name, end, isInTime: performance.now() - startedAt < LIMIT_MS }
    }),
  )
  const expected = Object.keys(calls).map((name) => ({
    name,
    end: ANSWERED.includes(name)
      ? 'answered'
      : LOCKED.includes(name)
        ? 'WRITING_LOCKED'
        : 'timeout',
    isInTime: true,
  }))
  expect(ends).toStrictEqual(expected)
})

/** The kind of trouble, which has its words; else the code. */
function endOf(error: unknown): string {
  const { code, data } = error as { readonly code?: string; readonly data?: { kind?: string } }
  return code === 'DATABASE_TROUBLE' ? String(data?.kind) : (code ?? String(error))
}
