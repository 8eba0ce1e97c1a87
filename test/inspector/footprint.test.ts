import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'

import type { SqliteFootprint } from '../../src/model/footprint.ts'
import { listen } from './support/listen.ts'
import {
  type Client,
  copyFixture,
  makeFolder,
  open,
  openInTwo,
  until,
  viewAll,
} from './support/open.ts'
import { insertRows, openApp } from './support/tables.ts'

async function footprintOf(client: Client): Promise<SqliteFootprint> {
  const found = await client.footprint()
  if (found.dialect !== 'sqlite') throw new Error('it is a file')
  return found
}

/** What the system says is open of a file: one descriptor a handle of SQLite. */
function descriptorsOf(path: string): number {
  const folder = '/proc/self/fd'
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)) === path
    } catch {
      return false
    }
  }).length
}

it('is told without opening the file, or anything being there', async () => {
  const path = join(makeFolder(), 'absent.db')
  const { client } = open(path)
  expect(await footprintOf(client)).toEqual({
    dialect: 'sqlite',
    since: expect.any(Number),
    rowsRead: 0,
    lastQuery: null,
    refreshMs: null,
    openHandles: 0,
    openTransactions: 0,
    longestHandleMs: 0,
    longestTransactionMs: 0,
    walBytes: null,
    walGrowthBytes: 0,
  })
  const fixture = copyFixture('small.db')
  await footprintOf(open(fixture).client)
  // SQLite would have left a -shm.
  expect(readdirSync(dirname(fixture))).toEqual(['small.db'])
})

it.runIf(process.platform === 'linux')(
  'says which handles are open, as the system does',
  async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    // It stays open for a moment only: on a slow machine that may be over already.
    await until(async () => {
      await client.events.range({ sessionId: 'scheduler:daily', from: 1, to: 500 })
      const { openHandles, openTransactions } = await footprintOf(client)
      expect(openTransactions).toBe(0)
      return openHandles === 1 && descriptorsOf(path) === 1
    }, 'a handle seen open')
    const after = await until(async () => {
      const found = await footprintOf(client)
      return found.openHandles === 0 ? found : null
    }, 'the handle closed')
    expect(descriptorsOf(path)).toBe(0)
    expect(after.longestHandleMs).toBeGreaterThan(after.longestTransactionMs)
    expect(after.longestTransactionMs).toBeGreaterThan(0)
  },
)

it('counts the rows and times the answers of screens, not its own telling', async () => {
  const { client } = open(copyFixture('small.db'))
  await viewAll(client)
  const first = await footprintOf(client)
  expect(await footprintOf(client)).toMatchObject({ rowsRead: first.rowsRead })
  const startedAt = Date.now()
  const rows = await client.events.range({ sessionId: 'scheduler:daily', from: 1, to: 500 })
  const then = await footprintOf(client)
  expect(rows.length).toBeGreaterThan(0)
  expect(then.rowsRead - first.rowsRead).toBeGreaterThanOrEqual(rows.length)
  expect(then.lastQuery?.at).toBeGreaterThanOrEqual(startedAt)
  expect(then.lastQuery?.tookMs).toBeLessThan(Date.now() - startedAt + 1)
})

it('says how far the -wal of the app has grown', async () => {
  const path = copyFixture('small.db')
  const app = openApp(path)
  insertRows(app, [{ session: 'before', index: 1 }])
  const walBytes = statSync(`${path}-wal`).size
  expect(walBytes).toBeGreaterThan(0)
  const { client } = open(path)
  expect(await footprintOf(client)).toMatchObject({ walBytes, walGrowthBytes: 0 })
  insertRows(app, [{ session: 'after', index: 1 }])
  const grown = statSync(`${path}-wal`).size
  expect(grown).toBeGreaterThan(walBytes)
  const now = { walBytes: grown, walGrowthBytes: grown - walBytes }
  expect(await footprintOf(client)).toMatchObject(now)
  app.pragma('wal_checkpoint(truncate)')
  expect(await footprintOf(client)).toMatchObject({ walBytes: 0, walGrowthBytes: -walBytes })
})

it('knows how long the -wal was at the first answer, though it was not asked for it then', async () => {
  const path = copyFixture('small.db')
  const app = openApp(path)
  insertRows(app, [{ session: 'before', index: 1 }])
  const walBytes = statSync(`${path}-wal`).size
  const { client } = open(path)
  await viewAll(client)
  // Only once the answer has left the house.
  await setImmediate()
  insertRows(app, [{ session: 'after', index: 1 }])
  const grown = statSync(`${path}-wal`).size
  expect(grown).toBeGreaterThan(walBytes)
  expect(await footprintOf(client)).toMatchObject({ walGrowthBytes: grown - walBytes })
})

it('says how often it looks for changes', async () => {
  const { client } = open(copyFixture('small.db'))
  expect(await footprintOf(client)).toMatchObject({ refreshMs: null })
  const hidden = await listen(client, false)
  expect(await footprintOf(client)).toMatchObject({ refreshMs: 1000 })
  const visible = await listen(client, true)
  expect(await footprintOf(client)).toMatchObject({ refreshMs: 250 })
  await visible.stop()
  await hidden.stop()
  expect(await footprintOf(client)).toMatchObject({ refreshMs: null })
})

it.runIf(process.platform === 'linux')('counts a writing handle, and lets go of it', async () => {
  const path = copyFixture('small.db')
  const { client } = open(path)
  const sessionId = 'order:ord_2026_000918'
  const { head } = await client.actions.previewClear({ sessionId })
  const before = await until(async () => {
    const found = await footprintOf(client)
    return found.openHandles === 0 ? found : null
  }, 'the handle closed')
  await client.writing.unlock()
  const cleared = client.actions.clear({ sessionId, ifLastIndex: head, createClearsTable: false })
  expect(await cleared).toMatchObject({ outcome: 'done' })
  const after = await until(async () => {
    const found = await footprintOf(client)
    return found.openHandles === 0 ? found : null
  }, 'the handles closed')
  expect(after.openTransactions).toBe(0)
  expect(after.longestTransactionMs).toBeGreaterThanOrEqual(before.longestTransactionMs)
  expect(descriptorsOf(path)).toBe(0)
})

it('adds what the other process takes, and keeps what it read when it ends', async () => {
  const { client, remote } = openInTwo(copyFixture('small.db'))
  await viewAll(client)
  const { rowsRead } = await until(async () => {
    const found = await footprintOf(client)
    const beside = remote.footprint()?.rowsRead ?? 0
    return beside > 0 && found.rowsRead > beside && found.openHandles === 0 ? found : null
  }, 'both counted')
  expect(remote.footprint()).toMatchObject({ openHandles: 0, openTransactions: 0 })
  remote.close()
  expect((await footprintOf(client)).rowsRead).toBeGreaterThanOrEqual(rowsRead)
})
