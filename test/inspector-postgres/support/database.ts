import Database from 'better-sqlite3'
import { Client } from 'pg'
import { inject, onTestFinished } from 'vitest'

import { openGate, type PostgresGate } from '../../../src/store/postgres/connect/gate.ts'
import { postgres } from '../../../src/store/postgres/store.ts'
import { copyFixture } from '../../inspector/support/open.ts'
import { targetOf } from '../../postgres-connect/support/connect.ts'
import type { ProvidedServer } from '../../support/postgres-setup.ts'

export const servers: readonly ProvidedServer[] = inject('postgresServers')

/** The newest of the servers, for tests in which the version does not matter. */
export function anyServer(): ProvidedServer {
  const [server] = servers
  if (server === undefined) throw new Error('no server was started')
  return server
}

export interface TestSchema {
  readonly server: ProvidedServer
  readonly name: string
  /** Another program's connection, in this schema; ended after the test. */
  readonly connect: () => Promise<Client>
  /** The same for a moment, also outside of a test. */
  readonly use: <T>(act: (client: Client) => Promise<T>) => Promise<T>
}

let made = 0

/** A schema of its own with the tables of our store, gone after the test. */
export async function makeSchema(server = anyServer()): Promise<TestSchema> {
  const { drop, ...schema } = await keepSchema(server)
  onTestFinished(drop)
  return schema
}

/** The same, to be dropped by the caller; the server's data is gone in the end anyway. */
export async function keepSchema(
  server: ProvidedServer,
): Promise<TestSchema & { readonly drop: () => Promise<void> }> {
  made += 1
  const name = `inspect_${process.pid}_${made}`
  const open = async (): Promise<Client> => {
    const client = new Client({
      connectionString: server.connectionString,
      application_name: 'a2-test',
      options: `-c search_path=${name}`,
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const use: TestSchema['use'] = async (act) => {
    const client = await open()
    try {
      return await act(client)
    } finally {
      await client.end()
    }
  }
  const connect = async (): Promise<Client> => {
    const client = await open()
    onTestFinished(() => client.end())
    return client
  }
  const drop = () =>
    use(async (client) => void (await client.query(`drop schema if exists ${name} cascade`)))
  const store = postgres({ connectionString: server.connectionString, schema: name })
  await store.read('none')
  await store.close()
  return { server, name, connect, use, drop }
}

const TABLES = [
  'a2_events',
  'a2_snapshots',
  'a2_snapshot_history',
  'a2_snapshot_pins',
  'a2_clears',
  'a2_presence',
]
const JSON_COLUMNS = new Set(['payload', 'cause', 'returned_event_ids', 'state', 'data'])

type FixtureName = 'small.db' | 'legacy-016.db'

/** A schema with the rows of a fixture; what is JSON text there is jsonb here. Gone after the test. */
export async function copyToPostgres(
  fixture: FixtureName,
  server = anyServer(),
): Promise<TestSchema> {
  const { drop, ...schema } = await keepCopy(fixture, server)
  onTestFinished(drop)
  return schema
}

/** The same, to be dropped by the caller. */
export async function keepCopy(
  fixture: FixtureName,
  server: ProvidedServer,
): ReturnType<typeof keepSchema> {
  const schema = await keepSchema(server)
  await schema.use((client) => copyTables(fixture, client))
  return schema
}

async function copyTables(fixture: FixtureName, client: Client): Promise<void> {
  // Even reading leaves files beside one in WAL mode.
  const file = new Database(copyFixture(fixture), { readonly: true })
  try {
    for (const table of TABLES) {
      const isThere = file.prepare('select 1 from sqlite_schema where name = ?').get(table)
      // oxlint-disable-next-line no-await-in-loop -- one connection
      if (isThere === undefined) await client.query(`drop table ${table}`)
      // oxlint-disable-next-line no-await-in-loop
      else await copyTable(file, client, table)
    }
  } finally {
    file.close()
  }
}

async function copyTable(file: Database.Database, client: Client, table: string): Promise<void> {
  const rows = file.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()
  const text = `[${rows.map(toJson).join(',')}]`
  await client.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [text],
  )
  // A JSON null in a record is read as no value at all.
  if (table === 'a2_events') {
    await client.query("update a2_events set payload = 'null' where payload is null")
  }
}

/** JSON columns as they are, so that no digit is lost on the way. */
function toJson(row: Record<string, unknown>): string {
  const fields = Object.entries(row).map(([name, value]) => {
    if (typeof value === 'string' && JSON_COLUMNS.has(name)) return `"${name}":${value}`
    return `"${name}":${JSON.stringify(name === 'lane_ready' ? value === 1 : value)}`
  })
  return `{${fields.join(',')}}`
}

/** A gate to a schema, closed after the test. */
export async function gateTo(
  { server, name }: Pick<TestSchema, 'server' | 'name'>,
  options: { readonly user?: string; readonly port?: number } = {},
): Promise<PostgresGate> {
  const url = new URL(server.connectionString)
  if (options.port !== undefined) url.port = String(options.port)
  if (options.user !== undefined) url.username = options.user
  const target = await targetOf(url.href)
  const gate = await openGate({
    ...target,
    settings: { ...target.settings, schema: name },
  })
  onTestFinished(() => gate.close())
  return gate
}

/** Everything stored, to see that nothing changed. */
export async function dump(client: Client): Promise<string> {
  const parts: string[] = []
  for (const table of TABLES) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    const { rows: found } = await client.query<{ is_there: boolean }>(
      'select to_regclass($1) is not null as is_there',
      [table],
    )
    if (found[0]?.is_there !== true) continue
    // oxlint-disable-next-line no-await-in-loop
    const { rows } = await client.query<{ text: string }>(
      `select coalesce(string_agg(t::text, e'\n' order by t::text), '') as text from ${table} t`,
    )
    parts.push(table, rows[0]?.text ?? '')
  }
  return parts.join('\n')
}

/** A role that may log in and has these rights on all tables of the schema; gone after the test. */
export async function makeRole({ name }: TestSchema, app: Client, rights: string): Promise<string> {
  const role = `role_of_${name}`
  await app.query(
    `create role ${role} login; grant usage on schema ${name} to ${role};
     grant ${rights} on all tables in schema ${name} to ${role}`,
  )
  onTestFinished(async () => void (await app.query(`drop owned by ${role}; drop role ${role}`)))
  return role
}
