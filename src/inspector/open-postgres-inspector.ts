import { postgresAccess } from './actions/postgres-access.ts'
import { assembleInspector } from './assemble-inspector.ts'
import type { Inspector, InspectorOptions } from './assemble-inspector.ts'
import type { ConnectionSource } from './connection-source.ts'
import { openPostgresReader } from './postgres-reader.ts'
import type { PostgresServer } from './postgres/server.ts'
import { serverWatch } from './postgres/server-watch.ts'
import { WriteLock } from './write-lock.ts'

export interface PostgresInspectorOptions extends InspectorOptions {
  /** An open gate to a server; it stays open when the inspector is closed. */
  readonly postgres: PostgresServer
  /** What is shown of the way to it. */
  readonly connection?: ConnectionSource
}

/**
 * Everything a screen can ask of a server. Opening asks nothing and never throws: a database that cannot be read
 * makes each procedure answer DATABASE_TROUBLE.
 */
export function openPostgresInspector(options: PostgresInspectorOptions): Inspector {
  const { postgres: server, connection, clock } = options
  const reader = openPostgresReader({ server, ...(clock === undefined ? {} : { clock }) })
  const dialect = {
    reader,
    foreign: postgresAccess(server, () => reader.noteWritten()),
    lock: new WriteLock(server),
    openWatch: serverWatch(reader.monitor),
    walBytes: () => 0,
    isLarge: () => false,
    ...(connection === undefined ? {} : { connection }),
  }
  return assembleInspector(dialect, options)
}
