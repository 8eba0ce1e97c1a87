import Database from 'better-sqlite3'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { openStore } from '../../src/store/open-store.ts'
import { sqlite } from '../../src/store/sqlite/store.ts'
import { dumpSqlite } from './backends.ts'
import { indexesOf, plain } from './world.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2-opening-'))
  path = join(folder, 'a/b/dev.db')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function inspect<T>(run: (database: Database.Database) => T): T {
  const database = new Database(path)
  try {
    return run(database)
  } finally {
    database.close()
  }
}

describe('opening a SQLite file', () => {
  it('makes the folder, the file in WAL mode, and strict tables', async () => {
    await sqlite({ path }).close()
    expect(inspect((database) => database.pragma('journal_mode', { simple: true }))).toBe('wal')
    const list = inspect((database) =>
      database
        .prepare<[], { name: string }>(
          "select name from pragma_table_list where strict and name like 'a2_%' order by name",
        )
        .all(),
    )
    expect(list.map((table) => table.name)).toEqual([
      'a2_clears',
      'a2_events',
      'a2_presence',
      'a2_snapshot_history',
      'a2_snapshot_pins',
      'a2_snapshots',
    ])
  })

  it('leaves the journal mode of a file it did not make', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    inspect((database) => database.exec('create table mine (x)'))
    const store = sqlite({ path })
    await store.append('s', plain(1))
    await store.close()
    expect(inspect((database) => database.pragma('journal_mode', { simple: true }))).toBe('delete')
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('writes nothing into a complete file', async () => {
    await sqlite({ path }).close()
    const before = readFileSync(path)
    await sqlite({ path }).close()
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('adds no index to tables another program made', async () => {
    await sqlite({ path }).close()
    inspect((database) => database.exec('drop index a2_events_pending; drop table a2_presence'))
    await sqlite({ path }).close()
    const names = inspect((database) =>
      database.prepare('select name from sqlite_schema').pluck().all(),
    )
    expect(names).not.toContain('a2_events_pending')
    expect(names).toContain('a2_presence')
  })

  it('says STORE_UNAVAILABLE for what is no database, and leaves it as it is', () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    writeFileSync(path, 'this is a text file, and a rather long one at that. '.repeat(50))
    const before = readFileSync(path)
    expect(() => sqlite({ path })).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }))
    expect(() => sqlite({ path: folder })).toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    )
    expect(() => sqlite({ path: join(path, 'below/a/file') })).toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('says STORE_UNAVAILABLE when the tables refuse a statement, and changes nothing', async () => {
    await sqlite({ path }).close()
    inspect((database) =>
      database.exec(
        "create trigger no before insert on a2_events when new.event_type = 'bad' begin select raise(abort, 'no'); end",
      ),
    )
    const store = sqlite({ path })
    await expect(store.append('s', [{ type: 'a' }, { type: 'bad' }])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      cause: { code: 'SQLITE_CONSTRAINT_TRIGGER' },
    })
    expect(dumpSqlite(path).events).toEqual([])
    expect(indexesOf((await store.append('s', plain(1))).events)).toEqual([1])
    await store.close()
  })

  it('says STORE_UNAVAILABLE for a payload that is no JSON, and names the event', async () => {
    const store = sqlite({ path })
    await store.append('s', plain(2))
    inspect((database) => database.exec("update a2_events set payload = '{' where idx = 2"))
    await expect(store.read('s')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'the payload of event 2 is not valid JSON',
    })
    await store.close()
  })

  it('keeps two stores of one file apart by waiting', async () => {
    const [a, b] = [sqlite({ path }), sqlite({ path })]
    for (let round = 0; round < 20; round += 1)
      await Promise.all([a.append('s', plain(1)), b.append('s', plain(1))])
    expect(indexesOf(await a.read('s'))).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    await a.close()
    await b.close()
  })

  it('gives events of its own making distinct ids in the order of their making', async () => {
    const store = sqlite({ path })
    await store.append('s', plain(500))
    const ids = (await store.read('s')).map((event) => event.id)
    await store.close()
    expect(new Set(ids).size).toBe(500)
    for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  })
})

describe('openStore', () => {
  it('takes a path and a file URL for SQLite', async () => {
    const byPath = openStore(path)
    await byPath.append('s', plain(1))
    await byPath.close()
    const byUrl = openStore(`file://${path}`)
    expect(await byUrl.read('s')).toHaveLength(1)
    await byUrl.close()
  })
})
