import Database from 'better-sqlite3'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

import { postgres } from '../../src/store/postgres/store.ts'
import { sqlite } from '../../src/store/sqlite/store.ts'
import type { ProvidedServer } from '../support/postgres-setup.ts'
import { SOURCES, type Tables, toTables } from './tables.ts'
import type { Backend, TestDatabase } from './world.ts'

const JSON_COLUMNS: readonly string[] = ['payload', 'cause', 'returned_event_ids', 'state', 'data']

export const sqliteBackend: Backend = {
  name: 'SQLite',
  dialect: 'sqlite',
  makeDatabase: async () => makeSqliteDatabase(),
}

function makeSqliteDatabase(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'a2-store-'))
  const path = join(folder, 'dev.db')
  return {
    open: (options) => sqlite({ ...options, path }),
    dump: async () => dumpSqlite(path),
    async execute(sql) {
      const database = new Database(path)
      database.exec(sql)
      database.close()
    },
    // The last handle that closes takes the log with it.
    leaks: async () => (existsSync(`${path}-wal`) ? [`a handle of ${path}`] : []),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function dumpSqlite(path: string): Tables {
  const database = new Database(path, { readonly: true })
  try {
    return toTables(
      (table) => database.prepare<[], Record<string, unknown>>(`select * from ${table}`).all(),
      (column, value) => {
        if (column === 'lane_ready') return value === 1
        const isJson = JSON_COLUMNS.includes(column) && typeof value === 'string'
        return isJson ? JSON.parse(value) : value
      },
    )
  } finally {
    database.close()
  }
}

let schemas = 0

/** Each database is a schema of its own, and its connections carry its name. */
export function postgresBackend(server: ProvidedServer): Backend {
  return {
    name: server.name,
    dialect: 'postgres',
    makeDatabase: () => makePostgresDatabase(server.connectionString),
  }
}

export function withParameter(connectionString: string, name: string, value: string): string {
  const url = new URL(connectionString)
  url.searchParams.set(name, value)
  return url.href
}

async function makePostgresDatabase(connectionString: string): Promise<TestDatabase> {
  schemas += 1
  const schema = `test_${process.pid}_${schemas}`
  const connectionStringOfStores = withParameter(connectionString, 'application_name', schema)
  const client = new Client({
    connectionString,
    application_name: 'a2-test',
    options: `-c search_path=${schema}`,
  })
  await client.connect()
  return {
    open: (options) => postgres({ ...options, schema, connectionString: connectionStringOfStores }),
    dump: () => dumpPostgres(client),
    execute: async (sql) => void (await client.query(sql)),
    leaks: () => untilGone(client, schema),
    async drop() {
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}

async function dumpPostgres(client: Client): Promise<Tables> {
  const lists = SOURCES.map(
    ([, table]) =>
      `(select coalesce(jsonb_agg(to_jsonb(row)), '[]') from ${table} as row) as ${table}`,
  )
  const { rows } = await client.query<Record<string, Record<string, unknown>[]>>(
    `select ${lists.join(', ')}`,
  )
  return toTables(
    (table) => rows[0]?.[table] ?? [],
    (_column, value) => value,
  )
}

/** A server process outlives its connection by a moment. */
async function untilGone(client: Client, name: string): Promise<readonly string[]> {
  for (let looks = 0; ; looks += 1) {
    const { rows } = await client.query<{ query: string }>(
      'select query from pg_stat_activity where application_name = $1',
      [name],
    )
    if (rows.length === 0 || looks === 100) return rows.map((row) => `a connection: ${row.query}`)
    await new Promise((resume) => setTimeout(resume, 20))
  }
}
