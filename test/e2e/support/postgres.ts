import { mkdtempSync, rmSync, copyFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

import { postgres as openStore } from '../../../src/store/postgres/store.ts'
import { type Proxy, startProxy } from '../../postgres-connect/support/proxy.ts'
import { copyTables } from '../../support/fixture-to-postgres.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { expect, test as base } from './app.ts'
import { projectFolder } from './workspace.ts'

export { expect }

const USER = 'inspector'
const TEMPLATE = 'small'

interface Cluster {
  readonly server: PostgresServer
  /** Nothing like it exists elsewhere on the machine. */
  readonly password: string
}

/** A database with the rows of small.db on a real server, that a role gets into with a password alone. */
export interface PostgresDatabase {
  readonly password: string
  readonly server: PostgresServer
  /** Without a password; over the proxy where its port is given. */
  readonly url: (port?: number) => string
  /** Rows of one statement of another program: the owner of the database, over a connection of its own. */
  readonly query: <Row extends object>(sql: string, ...params: readonly unknown[]) => Promise<Row[]>
  /** A connection of the owner's, ended after the test. */
  readonly connect: () => Promise<Client>
  /** A way to the server that can be cut; closed after the test. */
  readonly proxy: () => Promise<Proxy>
}

let made = 0

export const test = base.extend<{ postgres: PostgresDatabase }, { cluster: Cluster }>({
  cluster: [
    // oxlint-disable-next-line no-empty-pattern -- the first argument has to be taken apart
    async ({}, use) => {
      const password = `pw-${randomUUID()}`
      const server = await start()
      await prepare(server, password)
      await use({ server, password })
      await server.stop()
    },
    { scope: 'worker' },
  ],
  postgres: async ({ cluster: { server, password } }, use) => {
    const ended: (() => Promise<unknown>)[] = []
    made += 1
    const name = `journey_${made}`
    await asOwner(server, 'postgres', (owner) =>
      owner.query(`create database ${name} template ${TEMPLATE}`),
    )
    const connect = async (): Promise<Client> => {
      const client = await open(server, name)
      ended.push(() => client.end())
      return client
    }
    await use({
      password,
      server,
      url: (port = server.port) => `postgres://${USER}@127.0.0.1:${port}/${name}`,
      query: (sql, ...params) =>
        asOwner(server, name, async (owner) => (await owner.query(sql, [...params])).rows),
      connect,
      async proxy() {
        const proxy = await startProxy(server.port)
        ended.push(() => proxy.close())
        return proxy
      },
    })
    for (const end of ended.toReversed()) await end()
  },
})

interface NewEvent {
  readonly sessionId: string
  readonly index: number
  readonly type: string
  /** JSON text. */
  readonly payload: string
}

/** A commit of another program: an event that waits for a worker. */
export async function appendEvent(
  query: PostgresDatabase['query'],
  { sessionId, index, type, payload }: NewEvent,
): Promise<void> {
  await query(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, lane_ready, attempt_count, failure_count)
     values ($1, $2, $3, $4, $5, $6, true, 0, 0)`,
    sessionId,
    index,
    type,
    payload,
    randomUUID(),
    Date.now(),
  )
}

async function start(): Promise<PostgresServer> {
  const [binaries] = findBinaries()
  if (binaries === undefined) throw new Error('no server is installed')
  return startPostgres(binaries, {
    isDurable: false,
    hba: ['host all postgres 127.0.0.1/32 trust', `host all ${USER} 127.0.0.1/32 scram-sha-256`],
  })
}

/** The role, and a database that all others are copies of. */
async function prepare(server: PostgresServer, password: string): Promise<void> {
  await asOwner(server, 'postgres', async (owner) => {
    await owner.query(`create role ${USER} login password '${password}'`)
    await owner.query(`create database ${TEMPLATE}`)
  })
  const store = openStore({ connectionString: urlOf(server, TEMPLATE) })
  await store.read('none')
  await store.close()
  const folder = mkdtempSync(join(tmpdir(), 'a2-fixture-'))
  const path = join(folder, 'small.db')
  copyFileSync(join(projectFolder, 'test', 'fixtures', 'small.db'), path)
  await asOwner(server, TEMPLATE, async (owner) => {
    await copyTables(path, owner)
    await owner.query(
      `grant select, insert, update, delete on all tables in schema public to ${USER}`,
    )
    await owner.query('vacuum analyze')
  })
  rmSync(folder, { recursive: true, force: true })
}

function urlOf(server: PostgresServer, database: string): string {
  const url = new URL(server.connectionString)
  url.pathname = `/${database}`
  return url.href
}

async function open(server: PostgresServer, database: string): Promise<Client> {
  const client = new Client({
    connectionString: urlOf(server, database),
    application_name: 'a2-test',
  })
  // A server that restarts ends it.
  client.on('error', () => {})
  await client.connect()
  return client
}

async function asOwner<T>(
  server: PostgresServer,
  database: string,
  act: (owner: Client) => Promise<T>,
): Promise<T> {
  const owner = await open(server, database)
  try {
    return await act(owner)
  } finally {
    await owner.end()
  }
}
