import { Client } from 'pg'
import { inject, onTestFinished } from 'vitest'

import { openGate, type PostgresGate } from '../../../src/store/postgres/connect/gate.ts'
import { postgres } from '../../../src/store/postgres/store.ts'
import { copyFixture } from '../../inspector/support/open.ts'
import { targetOf } from '../../postgres-connect/support/connect.ts'
import { copyTables, TABLES } from '../../support/fixture-to-postgres.ts'
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
const databases = new Map<ProvidedServer, Promise<ProvidedServer>>()

/**
 * A database of this process alone: VACUUM spares what another test that runs at the same time may still see,
 * and the statistics of a database count everybody's work.
 */
function ownDatabase(server: ProvidedServer): Promise<ProvidedServer> {
  const known = databases.get(server) ?? makeDatabase(server)
  databases.set(server, known)
  return known
}

async function makeDatabase(server: ProvidedServer): Promise<ProvidedServer> {
  const database = `inspect_${process.pid}`
  const client = new Client({ connectionString: server.connectionString })
  await client.connect()
  try {
    await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
  const url = new URL(server.connectionString)
  url.pathname = `/${database}`
  return { name: server.name, connectionString: url.href }
}

/** A schema of its own with the tables of our store, gone after the test. */
export async function makeSchema(server = anyServer()): Promise<TestSchema> {
  const { drop, ...schema } = await keepSchema(server)
  onTestFinished(drop)
  return schema
}

/** The same, to be dropped by the caller; the server's data is gone in the end anyway. */
export async function keepSchema(
  given: ProvidedServer,
): Promise<TestSchema & { readonly drop: () => Promise<void> }> {
  const server = await ownDatabase(given)
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
  // Even reading leaves files beside one in WAL mode.
  await schema.use((client) => copyTables(copyFixture(fixture), client))
  return schema
}

/** A gate to a schema, closed after the test. */
export async function gateTo(
  { server, name }: Pick<TestSchema, 'server' | 'name'>,
  options: {
    readonly user?: string
    readonly port?: number
    readonly connectDeadlineMs?: number
  } = {},
): Promise<PostgresGate> {
  const { connectDeadlineMs } = options
  const url = new URL(server.connectionString)
  if (options.port !== undefined) url.port = String(options.port)
  if (options.user !== undefined) url.username = options.user
  const target = await targetOf(url.href)
  const gate = await openGate({
    ...target,
    settings: { ...target.settings, schema: name },
    ...(connectDeadlineMs === undefined ? {} : { connectDeadlineMs }),
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
