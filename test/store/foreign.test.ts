import Database from 'better-sqlite3'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { type ForeignSqlite, openForeignSqlite } from '../../src/store/sqlite/foreign.ts'
import { sqlite } from '../../src/store/sqlite/store.ts'
import { dumpSqlite } from './backends.ts'
import { violations } from './invariants.ts'
import { eventsOf } from './tables.ts'
import { countingIds, FakeClock, plain, START_MS } from './world.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2-foreign-'))
  path = join(folder, 'theirs.db')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function execute(sql: string): void {
  const database = new Database(path)
  database.exec(sql)
  database.close()
}

function schemaOf(): unknown[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare('select sql from sqlite_schema order by name').pluck().all()
  } finally {
    database.close()
  }
}

function withForeign<T>(run: (foreign: ForeignSqlite) => T, busyTimeoutMs = 50): T {
  const foreign = openForeignSqlite({
    path,
    busyTimeoutMs,
    clearEventType: 'their.own.marker',
    clock: new FakeClock(),
    generateId: countingIds(),
  })
  try {
    return run(foreign)
  } finally {
    foreign.close()
  }
}

/** A file of another version: other optional columns, one more, no index of ours. */
async function makeOtherVersion(): Promise<void> {
  const store = sqlite({ path, clock: new FakeClock() })
  await store.append('s', [
    { type: 'a', lane: 'l', id: 'a' },
    { type: 'b', lane: 'l', id: 'b' },
  ])
  await store.claimPending({ sessionId: 's', holder: 'h', ttlMs: 1 })
  const attempt = { sessionId: 's', index: 1, attempt: 1, error: 'e', maxFailures: 1 }
  await store.failAttempt(attempt)
  await store.close()
  execute(`
    drop index a2_events_pending; drop index a2_events_lane; drop index a2_events_event_id;
    alter table a2_events drop column last_error;
    alter table a2_events drop column returned_event_ids;
    alter table a2_events add column theirs text default 'kept';
    drop table a2_presence`)
}

const trouble = (kind: string) =>
  expect.objectContaining({ trouble: expect.objectContaining({ kind }) as object }) as Error

describe('writing to a database of another program', () => {
  it('clears with the marker type it was told, and changes no table', async () => {
    await makeOtherVersion()
    const schema = schemaOf()
    expect(withForeign((foreign) => foreign.clear({ sessionId: 's', ifLastIndex: 2 }))).toEqual({
      cleared: true,
      index: 3,
      clearIndex: 3,
    })
    expect(schemaOf()).toEqual(schema)
    expect(eventsOf(dumpSqlite(path), 's')[2]).toMatchObject({
      idx: 3,
      event_type: 'their.own.marker',
      event_id: 'id-1',
      payload: null,
      created_at: START_MS,
      processed_at: START_MS,
      theirs: 'kept',
    })
  })

  it('refuses a clear when the session moved on', async () => {
    await makeOtherVersion()
    const before = dumpSqlite(path)
    expect(withForeign((foreign) => foreign.clear({ sessionId: 's', ifLastIndex: 1 }))).toEqual({
      cleared: false,
      index: 2,
      clearIndex: 0,
    })
    expect(dumpSqlite(path)).toEqual(before)
  })

  it('retries and skips dead letters', async () => {
    await makeOtherVersion()
    const redrive = (index: number, action: 'retry' | 'skip') =>
      withForeign((foreign) => foreign.redrive({ sessionId: 's', index, action }))
    expect(redrive(2, 'retry')).toEqual({ redriven: false, hasPending: true })
    expect(redrive(1, 'skip')).toEqual({ redriven: true, hasPending: true })
    expect(redrive(1, 'retry')).toEqual({ redriven: false, hasPending: true })
    expect(eventsOf(dumpSqlite(path), 's')).toMatchObject([
      { processed_at: START_MS, failed_at: START_MS, lane_ready: false },
      { processed_at: null, lane_ready: true },
    ])
  })

  it('reclaims batch by batch', async () => {
    const store = sqlite({ path })
    await store.append('s', plain(300))
    await store.clear({ sessionId: 's' })
    await store.close()
    withForeign((foreign) => {
      expect(foreign.reclaim('s')).toEqual({ deleted: 256, done: false })
      expect(foreign.reclaim('s')).toEqual({ deleted: 44, done: true })
      expect(foreign.reclaim('another')).toEqual({ deleted: 0, done: true })
    })
    expect(violations(dumpSqlite(path))).toEqual([])
  })

  it('clears whatever is there while the lifetime is the one it was told', async () => {
    const store = sqlite({ path, clock: new FakeClock() })
    execute(
      `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, attempt_count, failure_count, lane_ready)
       values ('s', 1, 'a', '1', 'a', 1, 0, 0, 1), ('s', 2, 'a', '1', 'b', 1, 0, 0, 1)`,
    )
    withForeign((foreign) => {
      expect(foreign.clear({ sessionId: 's', ifClearIndex: 0 })).toEqual({
        cleared: true,
        index: 3,
        clearIndex: 3,
      })
      const before = dumpSqlite(path)
      expect(foreign.clear({ sessionId: 's', ifClearIndex: 0 })).toBe('cleared-again')
      expect(foreign.clear({ sessionId: 's', ifClearIndex: 2 })).toBe('cleared-again')
      expect(dumpSqlite(path)).toEqual(before)
      expect(foreign.clear({ sessionId: 's', ifClearIndex: 3 })).toEqual({
        cleared: true,
        index: 3,
        clearIndex: 3,
      })
      expect(dumpSqlite(path)).toEqual(before)
    })
    await store.close()
  })

  it('asks before it creates a2_clears, and creates it together with the first marker', () => {
    copyFileSync(join(import.meta.dirname, '../fixtures/legacy-016.db'), path)
    const schema = schemaOf()
    withForeign((foreign) => {
      expect(foreign.clear({ sessionId: 'chat:demo' })).toBe('needs-clears-table')
      expect(foreign.clear({ sessionId: 'unknown', createClearsTable: true })).toMatchObject({
        cleared: true,
        index: 0,
      })
      expect(foreign.reclaim('chat:demo')).toEqual({ deleted: 0, done: true })
      expect(foreign.redrive({ sessionId: 'chat:demo', index: 1, action: 'retry' })).toMatchObject({
        redriven: false,
      })
      expect(schemaOf()).toEqual(schema)
      expect(foreign.clear({ sessionId: 'chat:demo', createClearsTable: true })).toEqual({
        cleared: true,
        index: 13,
        clearIndex: 13,
      })
    })
    expect(schemaOf()).toHaveLength(schema.length + 2)
    expect(dumpSqlite(path).clears).toEqual([{ session_id: 'chat:demo', clear_index: 13 }])
  })

  it('creates no a2_clears when the clear fails', () => {
    copyFileSync(join(import.meta.dirname, '../fixtures/legacy-016.db'), path)
    execute(
      "create trigger no before insert on a2_events begin select raise(abort, 'not here'); end",
    )
    const schema = schemaOf()
    withForeign((foreign) => {
      expect(() => foreign.clear({ sessionId: 'chat:demo', createClearsTable: true })).toThrow(
        trouble('incompatible'),
      )
    })
    expect(schemaOf()).toEqual(schema)
  })

  it('creates a2_clears alone, once', () => {
    copyFileSync(join(import.meta.dirname, '../fixtures/legacy-016.db'), path)
    withForeign((foreign) => {
      foreign.createClearsTable()
      foreign.createClearsTable()
    })
    expect(dumpSqlite(path).clears).toEqual([])
  })

  it('calls a table that demands more incompatible, and changes nothing', async () => {
    await makeOtherVersion()
    execute("alter table a2_events add column demanded text not null default ''")
    execute(`
      create table copy as select * from a2_events;
      drop table a2_events;
      create table a2_events (session_id text, idx integer, event_type text, payload text,
        event_id text, created_at integer, cause text, lane text, lane_ready integer,
        processed_at integer, attempt_count integer default 0, failure_count integer default 0,
        failed_at integer, demanded text not null);
      insert into a2_events select session_id, idx, event_type, payload, event_id, created_at,
        cause, lane, lane_ready, processed_at, attempt_count, failure_count, failed_at, demanded
        from copy`)
    const before = dumpSqlite(path)
    withForeign((foreign) => {
      expect(() => foreign.clear({ sessionId: 's' })).toThrow(trouble('incompatible'))
    })
    expect(dumpSqlite(path)).toEqual(before)
  })

  it('calls a table that lacks something incompatible, and still does what does not need it', async () => {
    await makeOtherVersion()
    execute('drop table a2_snapshot_history')
    withForeign((foreign) => {
      expect(foreign.clear({ sessionId: 's' })).toMatchObject({ cleared: true })
      expect(() => foreign.reclaim('s')).toThrow(trouble('incompatible'))
    })
    expect(eventsOf(dumpSqlite(path), 's')).toHaveLength(3)
  })

  it('keeps the journal mode, and waits for another writer only so long', async () => {
    await makeOtherVersion()
    execute('pragma journal_mode = delete')
    const writer = new Database(path)
    writer.exec('begin immediate')
    const from = Date.now()
    withForeign((foreign) => {
      expect(() => foreign.clear({ sessionId: 's' })).toThrow(trouble('locked'))
    }, 120)
    expect(Date.now() - from).toBeGreaterThanOrEqual(100)
    writer.exec('rollback')
    writer.close()
    withForeign((foreign) => foreign.clear({ sessionId: 's' }))
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('opens only what exists', () => {
    expect(() => withForeign(() => {})).toThrow(trouble('not-found'))
    expect(existsSync(path)).toBe(false)
  })
})
