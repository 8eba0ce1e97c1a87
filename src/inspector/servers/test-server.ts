import type { ConnectionSettings, ConnectionTest } from '../../model/connection.ts'
import { makeCredentials } from '../../store/postgres/connect/credentials.ts'
import type { Machine } from '../../store/postgres/connect/local-files.ts'
import { testConnection } from '../../store/postgres/connect/test-connection.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import { type ConnectFailure, neededFor, type Secrets, withoutVault } from './secrets.ts'

/** Connects once with these secrets, and closes again. */
export async function testServer(
  given: ConnectionSettings,
  secrets: Secrets,
  machine: Machine,
): Promise<{ readonly test: ConnectionTest } | { readonly failure: ConnectFailure }> {
  const settings = withoutVault(given)
  let asked: ConnectFailure['needed'] = null
  const credentials = makeCredentials(settings, {
    ...secrets,
    machine,
    ask: async ({ purpose }) => {
      asked = purpose
      return null
    },
  })
  try {
    return { test: await testConnection({ settings, credentials, machine }) }
  } catch (error) {
    if (!(error instanceof StoreTrouble)) throw error
    const { trouble } = error
    return { failure: { trouble, needed: neededFor(trouble, settings, asked) } }
  }
}
