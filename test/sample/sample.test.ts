import Database from 'better-sqlite3'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { makeRandom } from '../../src/sample/random.ts'
import { seedSample } from '../../src/sample/seed.ts'
import { sqlite } from '../../src/store/sqlite/store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2-sample-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function seed(path: string): Promise<string[]> {
  let now = Date.UTC(2026, 0, 1)
  const clock = { now: () => new Date(now), advance: (ms: number) => void (now += ms) }
  const store = sqlite({ path, clock })
  await seedSample(store, clock, makeRandom(118))
  await store.close()
  const database = new Database(path, { readonly: true })
  const rows = database
    .prepare(
      `select session_id || '#' || idx || ' ' || event_type || ' ' || created_at || ' ' || coalesce(last_error, '') as line
         from a2_events order by session_id, idx`,
    )
    .pluck()
    .all() as string[]
  database.close()
  return rows
}

/** Both write some thousand transactions; how long those take is the disk's affair. */
describe('the sample', { timeout: 60_000 }, () => {
  it('has the same history on every machine, with everything a newcomer should see', async () => {
    const first = await seed(join(folder, 'one.db'))
    expect(await seed(join(folder, 'two.db'))).toEqual(first)

    const database = new Database(join(folder, 'one.db'), { readonly: true })
    const count = (sql: string): number => database.prepare(sql).pluck().get() as number
    expect(count('select count(*) from a2_clears')).toBeGreaterThan(2)
    expect(
      count('select count(*) from a2_events where failed_at is not null and processed_at is null'),
    ).toBeGreaterThan(0)
    expect(
      count(
        `select count(*) from a2_events dead where failed_at is not null and processed_at is null
           and exists (select 1 from a2_events later where later.session_id = dead.session_id
             and later.lane = dead.lane and later.idx > dead.idx and later.lane_ready = 0
             and later.processed_at is null)`,
      ),
    ).toBeGreaterThan(1)
    expect(
      count(`select count(*) from a2_events where session_id like 'agent:%' and lane_ready = 0`),
    ).toBe(3)
    expect(count('select count(*) from a2_snapshot_history')).toBeGreaterThan(0)
    expect(count('select count(*) from a2_presence')).toBe(2)
    database.close()
  })

  it('writes the database, keeps writing to it, and leaves no -wal behind when told to stop', async () => {
    const path = join(folder, '.a2', 'dev.db')
    const child = fork('src/sample/sample-process.ts', [path], { stdio: 'inherit' })
    await once(child, 'message')
    const database = new Database(path, { readonly: true })
    const head = database.prepare('select max(rowid) from a2_events').pluck()
    const before = head.get() as number
    await expect.poll(() => head.get(), { timeout: 20_000 }).toBeGreaterThan(before)
    database.close()

    child.send('stop')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})
