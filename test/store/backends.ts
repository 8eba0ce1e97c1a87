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

/** A table that is missing counts as empty. */
export function dumpSqlite(path: string): Tables {
  const database = new Database(path, { readonly: true })
  try {
    const has = new Set(database.prepare('select name from sqlite_schema').pluck().all())
    return toTables(
      (table) => (has.has(table) ? rowsOf(database, table) : []),
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

function rowsOf(database: Database.Database, table: string): Record<string, unknown>[] {
  return database.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()
}

let schemas = 0

export interface PostgresDatabase extends TestDatabase {
  readonly schema: string
  /** For stores; names the database as the application. */
  readonly connectionString: string
  /** A bare connection to the tables, closed when the database is dropped. */
  connect(): Promise<Client>
  /** Resolves once so many of the stores' connections wait for a lock. */
  untilWaiting(connections: number): Promise<void>
}

export interface PostgresBackend extends Backend {
  makeDatabase(): Promise<PostgresDatabase>
}

/** Each database is a schema of its own, and its connections carry its name. */
export function postgresBackend(server: ProvidedServer): PostgresBackend {
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

async function makePostgresDatabase(server: string): Promise<PostgresDatabase> {
  schemas += 1
  const schema = `test_${process.pid}_${schemas}`
  const connectionString = withParameter(server, 'application_name', schema)
  const clients: Client[] = []
  const connect = async (): Promise<Client> => {
    const options = `-c search_path=${schema}`
    const one = new Client({ connectionString: server, application_name: 'a2-test', options })
    clients.push(one)
    await one.connect()
    return one
  }
  const client = await connect()
  return {
    schema,
    connectionString,
    connect,
    open: (options) => postgres({ ...options, schema, connectionString }),
    dump: () => dumpPostgres(client),
    execute: async (sql) => void (await client.query(sql)),
    leaks: async () => {
      const left = await poll(
        () => openQueries(client, schema),
        (queries) => queries.length === 0,
      )
      return left.map((query) => `a connection: ${query}`)
    },
    async untilWaiting(connections) {
      const count = () => countWaiting(client, schema)
      const waiting = await poll(count, (found) => found === connections)
      if (waiting !== connections) throw new Error(`${waiting} of ${connections} connections wait`)
    },
    async drop() {
      await client.query(`drop schema if exists ${schema} cascade`)
      await Promise.all(clients.map((one) => one.end()))
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

async function openQueries(client: Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ query: string }>(
    'select query from pg_stat_activity where application_name = $1',
    [name],
  )
  return rows.map((row) => row.query)
}

async function countWaiting(client: Client, name: string): Promise<number> {
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`,
    [name],
  )
  return rows.length
}

/** Looks again for up to five seconds; what other processes do takes a moment. */
async function poll<T>(look: () => Promise<T>, isEnough: (found: T) => boolean): Promise<T> {
  for (let looks = 0; ; looks += 1) {
    const found = await look()
    if (isEnough(found) || looks === 500) return found
    await new Promise((resume) => setTimeout(resume, 10))
  }
}
