import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import type { AuditLine } from '../../../src/model/audit.ts'

/** Looks at, or works on, a database as any other program would; the handle is closed again. */
export function withDatabase<T>(path: string, use: (database: Database.Database) => T): T {
  const database = new Database(path, { timeout: 5_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

export type Row = Readonly<Record<string, string | number | null>>

/** Rows of one query. */
export function rowsOf(path: string, sql: string, ...values: (string | number)[]): Row[] {
  return withDatabase(path, (database) => database.prepare<unknown[], Row>(sql).all(...values))
}

/** Every row of every table and the schema itself. */
export function contentsOf(path: string): Readonly<Record<string, Row[]>> {
  return withDatabase(path, (database) => {
    const schema = database
      .prepare<[], Row>('select type, name, sql from sqlite_schema order by name')
      .all()
    const tables = schema.filter(
      ({ type, name }) => type === 'table' && !`${name}`.startsWith('sqlite_'),
    )
    const contents = tables.map(({ name }): [string, Row[]] => [
      String(name),
      database.prepare<[], Row>(`select rowid, * from "${name}" order by rowid`).all(),
    ])
    return { ...Object.fromEntries(contents), schema }
  })
}

/** Appends an event at the head of a session, as an app does. Returns its index. */
export function appendEvent(path: string, sessionId: string, type = 'from.elsewhere'): number {
  return withDatabase(path, (database) =>
    Number(
      database
        .prepare(
          `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, processed_at)
           select ?, coalesce(max(idx), 0) + 1, ?, '{}', hex(randomblob(16)), ?, ?
           from a2_events where session_id = ? returning idx`,
        )
        .pluck()
        .get(sessionId, type, Date.now(), Date.now(), sessionId),
    ),
  )
}

/** A worker's completion, in as few words as SQL allows. */
export function finishEvent(path: string, sessionId: string, index: number): void {
  withDatabase(path, (database) =>
    database
      .prepare(
        `update a2_events set processed_at = ?, failed_at = null, lane_ready = 0 where session_id = ? and idx = ?`,
      )
      .run(Date.now(), sessionId, index),
  )
}

/** The audit log as it is on the disk; empty when there is none. */
export function readAudit(dataFolder: string): AuditLine[] {
  const path = join(dataFolder, 'audit.ndjson')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): AuditLine => JSON.parse(line))
}

/** SHA-256 of a file; null when it does not exist. */
export function hashOf(path: string): string | null {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : null
}

/** Names in the file's folder, with the file's own name written as `db`. */
export function neighboursOf(path: string): string[] {
  return readdirSync(dirname(path))
    .map((name) => name.replace(basename(path), 'db'))
    .toSorted()
}
