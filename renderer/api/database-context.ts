import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { createContext, useContext } from 'react'

import type { BackgroundClient, DatabaseClient } from '../../src/contract/index.ts'
import { canListenWhileHidden, connectBackground, connectDatabase } from './connect.ts'
import { LiveFeed } from './live-feed.ts'

/** One open database as the screens use it. */
export interface OpenDatabase {
  readonly databaseId: string
  readonly client: DatabaseClient
  /** For what takes its time. */
  readonly background: BackgroundClient
  /** `queries.events.get.queryOptions({ input })` and so on; keys begin with ['db', databaseId]. */
  readonly queries: ReturnType<typeof makeQueries>
  readonly live: LiveFeed
}

function makeQueries(client: DatabaseClient, databaseId: string) {
  return createTanstackQueryUtils(client, { path: ['db', databaseId] })
}

let early: OpenDatabase | null = null

/** Before the screens are there: what is asked through it arrives while they are loaded. They take it over. */
export function openEarly(databaseId: string): OpenDatabase {
  early = openDatabase(databaseId)
  return early
}

/** The one opened early for these screens, the first time; else a new one. */
export function takeDatabase(databaseId: string): OpenDatabase {
  const taken = early?.databaseId === databaseId ? early : openDatabase(databaseId)
  early = null
  return taken
}

function openDatabase(databaseId: string): OpenDatabase {
  const client = connectDatabase(databaseId)
  return {
    databaseId,
    client,
    background: connectBackground(databaseId),
    queries: makeQueries(client, databaseId),
    live: new LiveFeed({ client, databaseId, canListenWhileHidden }),
  }
}

export const DatabaseContext = createContext<OpenDatabase | null>(null)

/** The database this screen is about. Only below `/d/$databaseId`. */
export function useDatabase(): OpenDatabase {
  const database = useContext(DatabaseContext)
  if (database === null) throw new Error('useDatabase outside of a database route')
  return database
}
