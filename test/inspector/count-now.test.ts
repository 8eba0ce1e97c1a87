import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'

import { Meter } from '../../src/inspector/meter.ts'
import { Pace } from '../../src/inspector/pace.ts'
import type { Reader } from '../../src/inspector/reader.ts'
import { openSqliteReader } from '../../src/inspector/sqlite-reader.ts'
import { WorkIndex } from '../../src/inspector/work-index.ts'
import { makeFolder } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const READ_MS = 40

test('a session that is asked for again and again is not looked through each time; nothing stays unseen', async () => {
  const path = join(makeFolder(), 'work.db')
  const app = openApp(path)
  makeBareTables(app)
  insertRows(
    app,
    [1, 2, 3].map((index) => ({ session: 'busy', index, processedAt: null })),
  )
  const real = openSqliteReader({ path, clock: { now: () => new Date() }, meter: new Meter() })
  onTestFinished(() => real.close())
  let times = 0
  const slow = {
    unfinishedAgain: async (rows: Parameters<Reader['unfinishedAgain']>[0]) => {
      times += 1
      await sleep(READ_MS)
      return real.unfinishedAgain(rows)
    },
  }
  const reader = new Proxy(real, {
    get: (target, name) => Reflect.get(name in slow ? slow : target, name),
  })
  const pace = new Pace(
    () => 0,
    () => real.effort.sliceMs(),
  )
  const work = new WorkIndex(reader, pace)
  await work.bringUpToDate(() => undefined)
  const ready = async (): Promise<number | undefined> => (await work.countNow('busy'))?.ready
  times = 0

  expect(await ready()).toBe(3)
  for (let index = 4; index <= 8; index += 1) {
    insertRows(app, [{ session: 'busy', index, processedAt: null }])
    // What is new counts at once.
    expect(await ready()).toBe(index)
  }
  expect(times).toBeLessThan(6)

  // What became of the others is seen a moment later, and by the next run over everything in any case.
  app.exec(`update a2_events set processed_at = 1 where idx <= 2`)
  await expect.poll(ready, { timeout: 5000 }).toBe(6)
  app.exec(`update a2_events set processed_at = 1 where idx <= 4`)
  await work.bringUpToDate(() => undefined)
  expect(await ready()).toBe(4)
})
