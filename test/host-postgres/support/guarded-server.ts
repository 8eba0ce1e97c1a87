import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

import { postgres } from '../../../src/store/postgres/store.ts'
import { findBinaries, startPostgres } from '../../support/postgres-server.ts'

export interface GuardedServer {
  /** Of the role `app`, needed to log in; nothing like it exists elsewhere on the machine. */
  readonly password: string
  readonly port: number
  /** Without a password, or with this one. */
  url(password?: string): string
  /** As the owner of the server. */
  administer(sql: string): Promise<unknown[]>
  stop(): Promise<void>
}

/** A server of the newest version with the a2 tables, into which `app` gets with a password alone. */
export async function startGuardedServer(): Promise<GuardedServer> {
  const [binaries] = findBinaries()
  if (binaries === undefined) throw new Error('no server is installed')
  const server = await startPostgres(binaries, {
    isDurable: false,
    hba: ['host all postgres 127.0.0.1/32 trust', 'host all app,app2 127.0.0.1/32 scram-sha-256'],
  })
  const password = `p@${randomUUID()}/!`
  const administer = async (sql: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: server.connectionString })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  const store = postgres({ connectionString: server.connectionString })
  await store.append('s', [{ type: 'thing', payload: 1 }])
  await store.close()
  await administer(
    `create role app login password '${password}'; grant all on all tables in schema public to app`,
  )
  return {
    password,
    port: server.port,
    url: (given) =>
      `postgres://app${given === undefined ? '' : `:${encodeURIComponent(given)}`}@127.0.0.1:${server.port}/postgres`,
    administer,
    stop: () => server.stop(),
  }
}
