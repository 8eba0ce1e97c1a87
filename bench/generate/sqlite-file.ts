import Database from 'better-sqlite3'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { makeRandom } from '../../src/sample/random.ts'
import { openStoreFile } from '../../src/store/sqlite/schema.ts'
import { cacheFolder } from './cache-folder.ts'
import { type GeneratedEvent, type GeneratedRows, generateRows } from './events.ts'
import { type Size, type Spec, SPECS } from './spec.ts'

/**
 * `plain`: no index tells where unfinished events are; `indexed`: with the store's own partial indexes;
 * `covering`: with one on pending events and one on dead letters instead, which tell them apart by themselves.
 */
export type Variant = 'plain' | 'indexed' | 'covering'

const COVERING = `create index pending on a2_events (session_id, idx)
    where processed_at is null and failed_at is null;
  create index dead on a2_events (failed_at, session_id, idx)
    where failed_at is not null and processed_at is null`

export const SEED = 20_260_112
const BATCH = 100_000
const CACHE_KIB = 800_000

/** Where a generated file is, or would be. */
export function sqliteFilePath(size: Size, variant: Variant): string {
  return join(cacheFolder(), `${size}-${variant}.db`)
}

/** The path of a generated file; it is made when it is not there yet. */
export function sqliteFile(size: Size, variant: Variant = 'plain'): string {
  const path = sqliteFilePath(size, variant)
  if (!existsSync(path)) {
    const unfinished = `${path}.${process.pid}.part`
    generateFile(unfinished, SPECS[size], variant)
    renameSync(unfinished, path)
  }
  return path
}

/** Writes a database as a running app would leave it when it ends: in WAL mode, without a -wal. */
export function generateFile(path: string, spec: Spec, variant: Variant): void {
  rmSync(path, { force: true })
  openStoreFile(path).close()
  const database = new Database(path)
  try {
    const indexes = takeIndexes(database)
    database.pragma('journal_mode = memory')
    database.pragma('synchronous = off')
    database.pragma(`cache_size = -${CACHE_KIB}`)
    fill(database, generateRows(spec, makeRandom(SEED)))
    for (const { sql, isPartial } of indexes)
      if (variant === 'indexed' || !isPartial) database.exec(sql)
    if (variant === 'covering') database.exec(COVERING)
    database.pragma('journal_mode = wal')
  } finally {
    database.close()
  }
}

/** Filling first and indexing at the end is quicker. */
function takeIndexes(database: Database.Database): { sql: string; isPartial: boolean }[] {
  const found = database
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'a2_events' and sql is not null`,
    )
    .all()
  for (const { name } of found) database.exec(`drop index ${name}`)
  return found.map(({ sql }) => ({ sql, isPartial: / where /i.test(sql.replaceAll('\n', ' ')) }))
}

function fill(database: Database.Database, rows: GeneratedRows): void {
  const clear = database.prepare('insert into a2_clears (session_id, clear_index) values (?, ?)')
  const insert = database.prepare(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, cause,
       lane, lane_ready, processed_at, attempt_count, failure_count, failed_at, last_error,
       claim_holder, claim_expires_at) values (${Array.from({ length: 16 }, () => '?').join(', ')})`,
  )
  database.exec('begin')
  for (const { sessionId, clearIndex } of rows.clears) clear.run(sessionId, clearIndex)
  let inBatch = 0
  for (const event of rows.events()) {
    insert.run(...toValues(event))
    inBatch += 1
    if (inBatch % BATCH === 0) database.exec('commit; begin')
  }
  database.exec('commit')
}

/** In the order of the insert's columns. */
export function toValues(event: GeneratedEvent): (string | number | null)[] {
  return [
    event.sessionId,
    event.index,
    event.type,
    event.payload,
    event.id,
    event.createdAt,
    event.cause,
    event.lane,
    event.laneReady,
    event.processedAt,
    event.attemptCount,
    event.failureCount,
    event.failedAt,
    event.lastError,
    event.claimHolder,
    event.claimExpiresAt,
  ]
}
