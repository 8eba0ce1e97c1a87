import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { Meter } from '../../src/inspector/meter.ts'
import { Pace } from '../../src/inspector/pace.ts'
import { SessionIndex } from '../../src/inspector/session-index.ts'
import { openSqliteReader } from '../../src/inspector/sqlite-reader.ts'
import { makeFolder } from './support/open.ts'
import { makeBareTables, openApp } from './support/tables.ts'

function makeIndex() {
  const path = join(makeFolder(), 'many.db')
  const app = openApp(path)
  makeBareTables(app)
  const insert = app.prepare(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
     values (?, ?, 't', '{}', ?, 1)`,
  )
  const add = app.transaction((ids: readonly string[], index = 1) => {
    for (const id of ids) insert.run(id, index, `${id}:${index}`)
  })
  const reader = openSqliteReader({ path, clock: { now: () => new Date() }, meter: new Meter() })
  onTestFinished(() => reader.close())
  const pace = new Pace(
    () => 0,
    () => reader.effort.sliceMs(),
  )
  const index = new SessionIndex(reader, pace)
  const bring = (): Promise<void> => index.bringUpToDate(() => {})
  const ids = (): string[] => Array.from(index.inOrder(), (number) => index.table.id(number))
  return { app, add, index, bring, ids }
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `s${String(n).padStart(5, '0')}`)

test('sessions that come, go and come back stand where the database has them', async () => {
  const { app, add, index, bring, ids } = makeIndex()
  const all = numbered(6000)
  add(all)
  await bring()
  expect(ids()).toStrictEqual(all)
  // Most of them vanish: what is left is numbered anew.
  app.exec(`delete from a2_events where session_id > 's00999'`)
  await index.update(all)
  expect(ids()).toStrictEqual(all.slice(0, 1000))
  await bring()
  expect(ids()).toStrictEqual(all.slice(0, 1000))
  expect(index.table.end).toBe(1000)
  add(['s00000a', 's00999z', 's03000', 'a'])
  await index.update(['s03000', 's00999z', 'a', 's00000a'])
  const wanted = ['a', 's00000', 's00000a', ...all.slice(1, 1000), 's00999z', 's03000']
  expect(ids()).toStrictEqual(wanted)
  add(['s00500'], 9)
  await index.update(['s00500'])
  expect(ids()).toStrictEqual(wanted)
  const number = index.table.numberOf('s00500')!
  expect(index.table.get(number)).toStrictEqual({
    id: 's00500',
    head: 9,
    clearIndex: 0,
    lastActivityAt: 1,
  })
})

test('one that vanished and came back before the next listing is there once', async () => {
  const { app, add, index, bring, ids } = makeIndex()
  add(['a', 'b', 'c'])
  await bring()
  app.exec(`delete from a2_events where session_id = 'b'`)
  await index.update(['b'])
  expect(ids()).toStrictEqual(['a', 'c'])
  expect(index.size).toBe(2)
  add(['b'])
  await index.update(['b'])
  expect(ids()).toStrictEqual(['a', 'b', 'c'])
})
