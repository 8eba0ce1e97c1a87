import { setTimeout as sleep } from 'node:timers/promises'

import { APPLICATION_NAME } from '../../../src/store/postgres/connect/guard.ts'
import type { PostgresDatabase } from './postgres.ts'

interface Backend {
  readonly state: string
  readonly hasTransaction: boolean
  readonly locks: number
}

/** What the server holds for the program in this database, one row a connection. */
export function backendsOf({ query }: Pick<PostgresDatabase, 'query'>): Promise<Backend[]> {
  return query<Backend>(
    `select state, (select count(*)::int from pg_locks l where l.pid = a.pid) as locks,
       xact_start is not null or backend_xid is not null or backend_xmin is not null as "hasTransaction"
       from pg_stat_activity a
      where application_name = $1 and datname = current_database()`,
    APPLICATION_NAME,
  )
}

export interface Migrations {
  readonly done: number
  /** What the server answered to those that failed. */
  readonly failures: readonly string[]
  readonly longestMs: number
  /** The highest number of connections of the program that was seen. */
  readonly mostConnections: number
}

/** Another program that alters the table of events again and again, as a deployment does, until it is told to stop. */
export async function startMigrations(
  postgres: PostgresDatabase,
): Promise<() => Promise<Migrations>> {
  const client = await postgres.connect()
  await client.query(`set lock_timeout = '2s'`)
  const stopped = new AbortController()
  const seen = { done: 0, failures: [] as string[], longestMs: 0, mostConnections: 0 }
  const migrate = async (sql: string): Promise<void> => {
    const startedAt = performance.now()
    try {
      await client.query(sql)
      seen.done += 1
    } catch (error) {
      seen.failures.push(String(error))
    }
    seen.longestMs = Math.max(seen.longestMs, performance.now() - startedAt)
  }
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      /* oxlint-disable no-await-in-loop -- again and again */
      await migrate('alter table a2_events add column migrated text')
      const { length } = await backendsOf({
        query: async (sql, ...params) => (await client.query(sql, [...params])).rows,
      })
      seen.mostConnections = Math.max(seen.mostConnections, length)
      await migrate('alter table a2_events drop column if exists migrated')
      await sleep(100)
      /* oxlint-enable no-await-in-loop */
    }
  }
  const running = loop()
  // A test that fails before it stops them ends their connection.
  running.catch(() => {})
  return async () => {
    stopped.abort()
    await running
    return seen
  }
}
