import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'

/** A database as another program would hold it; closed after the test. */
export function openApp(path: string): Database.Database {
  const database = new Database(path)
  onTestFinished(() => {
    database.close()
  })
  return database
}

const COLUMNS = `session_id text not null, idx integer not null, event_type text not null, payload text not null,
  event_id text not null, created_at integer not null, cause text, lane text, lane_ready integer not null default 1,
  processed_at integer, attempt_count integer not null default 0, failure_count integer not null default 0,
  failed_at integer, claim_holder text, claim_expires_at integer, primary key (session_id, idx)`

/** The least a database must have: required columns only, no index of ours. */
export function makeBareTables(database: Database.Database, options = ''): void {
  database.exec(`create table a2_events (${COLUMNS}) ${options}`)
  database.exec(
    'create table a2_clears (session_id text primary key, clear_index integer not null)',
  )
}

export interface NewRow {
  readonly session: string
  readonly index: number
  readonly type?: string
  readonly payload?: string
  readonly id?: string
  readonly createdAt?: number
  readonly lane?: string | null
  readonly laneReady?: number
  readonly processedAt?: number | null
  readonly failedAt?: number | null
  readonly claimExpiresAt?: number | null
  readonly attempts?: number
  readonly failures?: number
  readonly cause?: string | null
}

/** Appends rows as they are given. */
export function insertRows(database: Database.Database, rows: readonly NewRow[]): void {
  const insert =
    database.prepare(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at,
    cause, lane, lane_ready, processed_at, attempt_count, failure_count, failed_at, claim_expires_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  database.transaction(() => {
    for (const row of rows) {
      insert.run(
        row.session,
        row.index,
        row.type ?? 'thing.happened',
        row.payload ?? '{}',
        row.id ?? `${row.session}#${row.index}`,
        row.createdAt ?? row.index,
        row.cause ?? null,
        row.lane ?? null,
        row.laneReady ?? 1,
        row.processedAt === undefined ? 1 : row.processedAt,
        row.attempts ?? 0,
        row.failures ?? 0,
        row.failedAt ?? null,
        row.claimExpiresAt ?? null,
      )
    }
  })()
}
