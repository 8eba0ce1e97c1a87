import type { TestProject } from 'vitest/node'

import { findBinaries, type PostgresServer, startPostgres } from './postgres-server.ts'

export interface ProvidedServer {
  readonly name: string
  readonly connectionString: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresServers: ProvidedServer[]
  }
}

let servers: readonly PostgresServer[] = []

/** Starts the servers the store's tests run against; `A2_TEST_PG_URL` names one more. */
export async function setup(project: TestProject): Promise<void> {
  servers = await Promise.all(
    findBinaries().map((binaries) => startPostgres(binaries, { isDurable: false })),
  )
  const given = process.env['A2_TEST_PG_URL']
  project.provide('postgresServers', [
    ...servers.map(({ name, connectionString }) => ({ name, connectionString })),
    ...(given === undefined ? [] : [{ name: 'A2_TEST_PG_URL', connectionString: given }]),
  ])
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}
