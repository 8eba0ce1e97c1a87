import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { MessageChannel } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'

import { Background } from '../../src/inspector/background.ts'
import { EarlyCounts } from '../../src/inspector/early-counts.ts'
import { Meter } from '../../src/inspector/meter.ts'
import { openBackgroundHalf } from '../../src/inspector/open-background.ts'
import { Pace } from '../../src/inspector/pace.ts'
import type { CountedStep } from '../../src/inspector/queries/unfinished-counts.ts'
import type { WorkKey } from '../../src/inspector/queries/work.ts'
import type { Reader } from '../../src/inspector/reader.ts'
import { RemoteScans } from '../../src/inspector/scans/remote-scans.ts'
import { Sessions } from '../../src/inspector/sessions.ts'
import { openSqliteReader } from '../../src/inspector/sqlite-reader.ts'
import { WorkIndex } from '../../src/inspector/work-index.ts'
import { makeFolder, toScanPort, until } from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const UNFINISHED = 'create index a on a2_events (session_id, idx) where processed_at is null;'
const PENDING = `create index b on a2_events (session_id, idx)
  where failed_at is NULL AND "processed_at" is null;`
const DEAD = `create index c on a2_events (failed_at, session_id, idx)
  where failed_at is not null and processed_at is null;`
const FAILED = `create index d on a2_events (failed_at, session_id, idx) where failed_at is not null;`

const DONE = { processedAt: 5 }
const OPEN = { processedAt: null }
const FATAL = { processedAt: null, failedAt: 7 }
const SKIPPED = { processedAt: 8, failedAt: 7 }

const ROWS = {
  mixed: [DONE, OPEN, { ...OPEN, claimExpiresAt: 9 }, FATAL, SKIPPED],
  /** Cleared through 3. */
  cleared: [OPEN, FATAL, DONE, FATAL, OPEN],
  done: [DONE, SKIPPED],
  /** Cleared through 9. */
  hidden: [OPEN, FATAL],
  '': [OPEN],
  'ä 😀': [FATAL],
}
/** What of these is live: unfinished, and dead among them. */
const LIVE = {
  mixed: [3, 1],
  cleared: [2, 1],
  done: [0, 0],
  hidden: [0, 0],
  '': [1, 0],
  'ä 😀': [1, 1],
}

function makeFile(indexes: string): string {
  const path = `${makeFolder()}/counts.db`
  const app = openApp(path)
  makeBareTables(app)
  for (const [session, rows] of Object.entries(ROWS)) {
    insertRows(
      app,
      rows.map((row, n) => ({ session, index: n + 1, ...row })),
    )
  }
  app.exec(`insert into a2_clears values ('cleared', 3), ('hidden', 9), ('mixed', -4);
    update a2_events set session_id = x'ff' where session_id = 'done' and idx = 2;
    update a2_events set processed_at = null where session_id = x'ff'; ${indexes}`)
  app.close()
  return path
}

function openAt(path: string): { reader: Reader; pace: Pace } {
  const clock = { now: () => new Date() }
  const pace = new Pace(
    () => 0,
    () => 12,
  )
  return { reader: openSqliteReader({ path, clock, meter: new Meter() }), pace }
}

async function countEarly(path: string) {
  const { reader, pace } = openAt(path)
  const early = new EarlyCounts(reader, pace)
  await early.count()
  reader.close()
  return Object.fromEntries(Object.keys(ROWS).map((id) => [id, early.countOf(id)]))
}

function expected(withDead: boolean) {
  return Object.fromEntries(
    Object.entries(LIVE).map(([id, [unfinished, dead]]) => [
      id,
      { unfinished, dead: withDead ? dead : null },
    ]),
  )
}

it.each([
  ['on unfinished events', UNFINISHED, false],
  ['on unfinished events and on dead letters', UNFINISHED + DEAD, true],
  ['on pending events and on dead letters', PENDING + DEAD, true],
  ['on pending events and on all that failed', PENDING + FAILED, true],
])('live events are counted through indexes %s', async (_, indexes, withDead) => {
  expect(await countEarly(makeFile(indexes))).toStrictEqual(expected(withDead))
})

it.each([
  ['none', ''],
  ['pending events alone', PENDING],
  ['dead letters alone', DEAD],
  [
    'lanes alone',
    'create index e on a2_events (session_id, idx) where processed_at is null and lane is not null',
  ],
  [
    'one or the other',
    'create index e on a2_events (session_id, idx) where processed_at is null or failed_at is null',
  ],
  ['a whole table', 'create index e on a2_events (session_id, idx, processed_at, failed_at)'],
])('nothing is told by an index on %s', async (_, indexes) => {
  const counts = await countEarly(makeFile(indexes))
  expect(Object.values(counts)).toStrictEqual(Object.keys(ROWS).map(() => null))
})

it.each([
  ['without an index', ''],
  ['through the index on unfinished events', UNFINISHED],
  ['beside indexes on parts of them', PENDING + DEAD],
])('the pass over the rows counts the same %s', async (_, indexes) => {
  const { reader, pace } = openAt(makeFile(indexes))
  const work = new WorkIndex(reader, pace)
  await work.bringUpToDate(() => {})
  for (const [id, [unfinished = 0, dead]] of Object.entries(LIVE)) {
    const counts = work.countsOf(id)
    const sum = Object.values(counts ?? {}).reduce((total, n) => total + n, 0)
    expect({ id, sum, dead: counts?.dead }).toStrictEqual({ id, sum: unfinished, dead })
  }
  reader.close()
})

it('a session may be cut by the end of a step, anywhere', async () => {
  const { reader } = openAt(makeFile(UNFINISHED))
  for (const limit of [1, 2, 3]) {
    const found = new Map<string, number>()
    let after: WorkKey | null = null
    do {
      const step: CountedStep | undefined = await reader.indexCounts?.step(
        'unfinished',
        after,
        limit,
      )
      for (const [id, n] of step?.counts ?? []) found.set(id, (found.get(id) ?? 0) + n)
      after = step?.next ?? null
    } while (after !== null)
    expect(Object.fromEntries(found)).toStrictEqual({ '': 1, cleared: 2, mixed: 3, 'ä 😀': 1 })
  }
  reader.close()
})

it('dead letters are not counted where they are too many', async () => {
  const { reader } = openAt(makeFile(UNFINISHED + DEAD))
  expect(await reader.indexCounts?.dead(7)).toBeInstanceOf(Map)
  expect(await reader.indexCounts?.dead(3)).toBe(null)
  reader.close()
})

it('no row is looked at: the counts are right although every page of rows is unreadable', async () => {
  const path = makeFile(PENDING + DEAD)
  const app = openApp(path)
  const pageBytes = Number(app.pragma('page_size', { simple: true }))
  const root = app
    .prepare<[], { rootpage: number }>(
      "select rootpage from sqlite_schema where name = 'a2_events' and type = 'table'",
    )
    .get()?.rootpage
  app.close()
  const damaged = `${makeFolder()}/damaged.db`
  copyFileSync(path, damaged)
  const bytes = readFileSync(damaged)
  // So few rows are all on the first page of their table.
  bytes.fill(0xff, ((root ?? 0) - 1) * pageBytes, (root ?? 0) * pageBytes)
  writeFileSync(damaged, bytes)
  expect(await countEarly(damaged)).toStrictEqual(expected(true))
})

it('the list of sessions shows them until it is known what each event waits for', async () => {
  const path = makeFile(UNFINISHED + DEAD)
  const { reader } = openAt(path)
  const remote = new RemoteScans({ path, onWanted: () => {}, onStuck: () => {} })
  const half = openBackgroundHalf({
    path,
    onDefect: (defect) => {
      throw defect
    },
  })
  const { port1, port2 } = new MessageChannel()
  const server = toScanPort(port1)
  let release: (() => void) | undefined
  half.serveScans({
    ...server,
    onMessage: (listener) =>
      server.onMessage((message) => {
        // The rows are kept waiting, and nothing else.
        if (JSON.stringify(message).includes('unfinishedStep')) release = () => listener(message)
        else listener(message)
      }),
  })
  remote.attach(toScanPort(port2))
  const onDefect = (defect: unknown): void => {
    throw defect
  }
  const background = new Background({
    reader,
    remote,
    walBytes: () => 0,
    isLarge: () => false,
    onDefect,
  })
  onTestFinished(async () => {
    release?.()
    await background.close()
    half.close()
    port1.close()
    reader.close()
  })
  const sessions = new Sessions(reader, background)
  const read = async () => {
    const asked = { sort: 'id', direction: 'asc', text: 'mixed', chips: [] } as const
    const { viewId } = await sessions.view(asked)
    const [row] = await sessions.rows({ viewId, offset: 0, limit: 1 })
    return row ?? null
  }
  const before = await until(async () => {
    const row = await read()
    return row?.early === undefined || release === undefined ? null : row
  }, 'early counts')
  expect(before).toMatchObject({ work: null, early: { unfinished: 3, dead: 1 } })
  release?.()
  const after = await until(async () => {
    const row = await read()
    return row === null || row.work === null ? null : row
  }, 'all counts')
  expect(after).not.toHaveProperty('early')
  expect(after.work).toMatchObject({ ready: 1, expired: 1, dead: 1 })
})
