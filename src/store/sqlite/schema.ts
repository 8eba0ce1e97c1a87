import Database from 'better-sqlite3'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import type { OptionalColumns } from '../optional-columns.ts'

/** Tables in the order of their making, each with its indexes. */
const TABLES: Readonly<Record<string, string>> = {
  a2_events: `
create table a2_events (
  session_id         text    not null,
  idx                integer not null,
  event_type         text    not null,
  payload            text    not null,
  event_id           text    not null,
  created_at         integer not null,
  cause              text,
  lane               text,
  lane_ready         integer not null default 1,
  processed_at       integer,
  attempt_count      integer not null default 0,
  failure_count      integer not null default 0,
  failed_at          integer,
  last_error         text,
  returned_event_ids text,
  claim_holder       text,
  claim_expires_at   integer,
  primary key (session_id, idx)
) strict;
create unique index a2_events_event_id on a2_events (event_id);
create index a2_events_pending on a2_events (session_id, idx) where processed_at is null;
create index a2_events_lane
  on a2_events (session_id, lane, idx) where processed_at is null and lane is not null;`,
  a2_snapshots: `
create table a2_snapshots (
  session_id   text    not null,
  reducer_name text    not null,
  up_to_index  integer not null,
  state        text    not null,
  updated_at   integer not null,
  primary key (session_id, reducer_name)
) strict;`,
  a2_snapshot_history: `
create table a2_snapshot_history (
  session_id   text    not null,
  reducer_name text    not null,
  up_to_index  integer not null,
  state        text    not null,
  updated_at   integer not null,
  primary key (session_id, reducer_name, up_to_index)
) strict;`,
  a2_snapshot_pins: `
create table a2_snapshot_pins (
  session_id   text    not null,
  event_index  integer not null,
  reducer_name text    not null,
  up_to_index  integer not null,
  primary key (session_id, event_index, reducer_name, up_to_index)
) strict;
create index a2_snapshot_pins_checkpoint
  on a2_snapshot_pins (session_id, reducer_name, up_to_index);`,
  a2_clears: `
create table a2_clears (
  session_id  text    not null primary key,
  clear_index integer not null
) strict;`,
  a2_presence: `
create table a2_presence (
  ns          text    not null,
  participant text    not null,
  data        text    not null,
  joined_at   integer not null,
  updated_at  integer not null,
  expires_at  integer not null,
  primary key (ns, participant)
) strict;`,
}

const BUSY_TIMEOUT_MS = 5_000

/** Opens a store's file and creates what is missing: its folder, itself, tables. */
export function openStoreFile(path: string): Database.Database {
  const isNew = isMissingOrEmpty(path)
  if (isNew) mkdirSync(dirname(path), { recursive: true })
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Another program's file keeps the journal mode it was given.
    if (isNew) database.pragma('journal_mode = wal')
    // What was acknowledged survives a loss of power too.
    database.pragma('synchronous = full')
    createMissingTables(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Looks before it locks: opening a complete file writes nothing. Tables that exist stay as they are. */
function createMissingTables(database: Database.Database): void {
  const missing = (): string[] => Object.keys(TABLES).filter((name) => !hasTable(database, name))
  if (missing().length === 0) return
  database.exec('begin immediate')
  try {
    for (const name of missing()) database.exec(TABLES[name]!)
    database.exec('commit')
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    throw error
  }
}

/** Inside a transaction; for a file of 0.16, which has no such table. */
export function createClearsTable(database: Database.Database): void {
  if (!hasTable(database, 'a2_clears')) database.exec(TABLES['a2_clears']!)
}

export function hasTable(database: Database.Database, name: string): boolean {
  return (
    database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !==
    undefined
  )
}

/** Which columns with names of our own choosing a2_events has. */
export function findOptionalColumns(database: Database.Database): OptionalColumns {
  const names = new Set(
    database.prepare("select name from pragma_table_info('a2_events')").pluck().all(),
  )
  return {
    hasLastError: names.has('last_error'),
    hasReturnedEventIds: names.has('returned_event_ids'),
  }
}

function isMissingOrEmpty(path: string): boolean {
  return path !== ':memory:' && (!existsSync(path) || statSync(path).size === 0)
}
