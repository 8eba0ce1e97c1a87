import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'

import { startChild } from './support/children.ts'
import { type Client, copyFixture, open, until, viewAll } from './support/open.ts'
import { insertRows, openApp } from './support/tables.ts'

const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Every reading procedure at least once. */
async function browse(client: Client): Promise<void> {
  await client.facts()
  const view = await viewAll(client)
  const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
  for (const row of rows) {
    const sessionId = row?.id ?? ''
    await client.sessions.get({ sessionId })
    const events = await client.events.range({ sessionId, from: 1, to: 500 })
    for (const { index, id } of events.slice(0, 5)) {
      await client.events.get({ sessionId, index })
      await client.events.payload({ sessionId, index, offsetBytes: 0 })
      await client.events.locate({ eventId: id })
    }
    await client.snapshots.list({ sessionId })
    await client.actions.previewClear({ sessionId })
    await client.actions.previewReclaim({ sessionId })
    const first = events[0]?.index ?? 1
    await client.actions.previewRedrive({ sessionId, index: first, action: 'skip' })
  }
  await client.sessions.find({ text: 'o', limit: 10 })
  const dead = await client.deadLetters.view({ text: 'vat' })
  await client.deadLetters.rows({ viewId: dead.viewId, offset: 0, limit: 50 })
  await client.presence()
  await client.audit({ scope: 'all', beforeOffset: null, limit: 10 })
}

describe('reading', () => {
  it('leaves a file that nobody else has open as it is, but for the empty -wal and the -shm SQLite makes', async () => {
    const path = copyFixture('small.db')
    const before = hash(path)
    const { client, close } = open(path)
    const messages = await client.live({ isVisible: true })
    await messages.next()
    for (let round = 0; round < 5; round += 1) await browse(client)
    await messages.return?.()
    await close()
    expect(hash(path)).toBe(before)
    expect(readdirSync(dirname(path)).toSorted()).toEqual([
      'small.db',
      'small.db-shm',
      'small.db-wal',
    ])
    expect(statSync(`${path}-wal`).size).toBe(0)
  })

  it('leaves the file and the -wal of a running app as they are', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    insertRows(app, [{ session: 'from the app', index: 1 }])
    const before = [hash(path), hash(`${path}-wal`)]
    const { client, close } = open(path)
    for (let round = 0; round < 5; round += 1) await browse(client)
    expect(await client.sessions.find({ text: 'from the app', limit: 1 })).toEqual(['from the app'])
    await close()
    expect([hash(path), hash(`${path}-wal`)]).toEqual(before)
  })

  it('lets go of the file soon, so that an app that closes can put its -wal away', async () => {
    const path = copyFixture('small.db')
    const app = startChild('hold-open', [path])
    await once(app.stdout, 'data')
    const { client } = open(path)
    const messages = await client.live({ isVisible: true })
    await messages.next()
    await browse(client)
    await until(() => countOpenHere(path) === 0, 'our handle closed')
    expect(existsSync(`${path}-wal`)).toBe(true)
    app.stdin.write('end')
    await once(app, 'close')
    expect(existsSync(`${path}-wal`)).toBe(false)
    await messages.return?.()
  })

  it('holds the file for less than a second after the last question', async () => {
    const path = copyFixture('small.db')
    const { client } = open(path)
    await browse(client)
    const asked = performance.now()
    await until(() => countOpenHere(path) === 0, 'our handle closed')
    expect(performance.now() - asked).toBeLessThan(1000)
  })
})

/** How often this process has the database open, by the kernel's list of its files. */
function countOpenHere(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length
}
