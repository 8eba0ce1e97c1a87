import { Actions } from './actions/actions.ts'
import { postgresAccess } from './actions/postgres-access.ts'
import { sqliteAccess } from './actions/sqlite-access.ts'
import type { ForeignAccess } from './actions/writing.ts'
import { AuditLog } from './audit-log.ts'
import { Background } from './background.ts'
import { makeBackgroundRouter } from './background-router.ts'
import { fileWatch, type OpenWatch } from './change-watch.ts'
import { ConnectionProcedures } from './connection-procedures.ts'
import type { ConnectionSource } from './connection-source.ts'
import { DeadLetters } from './dead-letters.ts'
import { Events } from './events.ts'
import { readStamp } from './file-watch.ts'
import { makeFootprint } from './footprint.ts'
import { Meter } from './meter.ts'
import { openPostgresReader } from './postgres-reader.ts'
import type { PostgresServer } from './postgres/server.ts'
import { serverWatch } from './postgres/server-watch.ts'
import type { Reader } from './reader.ts'
import type { RemoteScans } from './scans/remote-scans.ts'
import { makeRouter } from './router.ts'
import { Search } from './search.ts'
import { Sessions } from './sessions.ts'
import { openSqliteReader } from './sqlite-reader.ts'
import { Tail } from './tail.ts'
import { WriteLock } from './write-lock.ts'

interface SharedOptions {
  /** Where the audit log is kept; made when it is missing. */
  readonly dataFolder: string
  /**
   * The machine's clock, unless a test stops it; SQLite has no clock of its own. Given for Postgres, it
   * stands in for the database's too.
   */
  readonly clock?: { now(): Date }
  /** Told of defects of ours that no answer can carry, for example in background work. */
  readonly onDefect?: (error: unknown) => void
}

export type InspectorOptions = SharedOptions &
  (
    | {
        /** Absolute path of the database file; it may be anything, or not exist. */
        readonly path: string
        /** The process beside this one that does the scanning; without one it is done here. */
        readonly remote?: RemoteScans
        readonly postgres?: never
        readonly connection?: never
      }
    | {
        /** An open gate to a server; it stays open when the inspector is closed. */
        readonly postgres: PostgresServer
        /** What is shown of the way to it. */
        readonly connection?: ConnectionSource
        readonly path?: never
        readonly remote?: never
      }
  )

export interface Inspector {
  /** Implements `databaseContract`; needs no context. */
  readonly router: ReturnType<typeof makeRouter>
  /** Implements `backgroundContract` right here; needs no context. */
  readonly backgroundRouter: ReturnType<typeof makeBackgroundRouter>
  /** Ends subscriptions and background work and lets go of the database. */
  close(): Promise<void>
}

/** The parts in which the dialects differ. */
interface Dialect {
  readonly reader: Reader
  readonly foreign: ForeignAccess
  readonly lock: WriteLock
  readonly openWatch: OpenWatch
  readonly walBytes: () => number
}

/**
 * Everything a screen can ask of one database. Opening reads nothing and never throws: a database that
 * cannot be read makes each procedure answer DATABASE_TROUBLE.
 */
export function openInspector(options: InspectorOptions): Inspector {
  const { dataFolder, clock = { now: () => new Date() }, onDefect = warn } = options
  const dialect =
    options.postgres === undefined
      ? openFile(options.path, clock)
      : openServer(options.postgres, options.clock)
  const { reader, lock, foreign } = dialect
  const background = new Background({
    reader,
    walBytes: dialect.walBytes,
    onDefect,
    ...(options.remote === undefined ? {} : { remote: options.remote }),
  })
  const connection = new ConnectionProcedures(options.connection ?? null, reader)
  const { openWatch } = dialect
  const tail = new Tail({ reader, background, lock, connection, openWatch, onDefect })
  const router = makeRouter({
    reader,
    footprint: makeFootprint({ reader, tail, remote: options.remote }),
    sessions: new Sessions(reader, background),
    events: new Events(reader, background.scans, background.work),
    deadLetters: new DeadLetters(reader, background),
    lock,
    connection,
    actions: new Actions({
      reader,
      background,
      lock,
      foreign,
      isProduction: () => connection.report()?.environment === 'production',
      log: new AuditLog(dataFolder),
      clock,
      onWrite: () => tail.poke(),
    }),
    tail,
  })
  return {
    router,
    backgroundRouter: makeBackgroundRouter({ search: new Search(reader, background.pace) }),
    close: async () => {
      tail.close()
      lock.close()
      await background.close()
      reader.close()
    },
  }
}

function openFile(path: string, clock: { now(): Date }): Dialect {
  const meter = new Meter()
  const reader = openSqliteReader({ path, clock, meter })
  return {
    reader,
    foreign: sqliteAccess(path, meter),
    lock: new WriteLock(),
    openWatch: fileWatch(reader),
    walBytes: () => readStamp(path)?.walBytes ?? 0,
  }
}

function openServer(server: PostgresServer, clock: { now(): Date } | undefined): Dialect {
  const reader = openPostgresReader({ server, ...(clock === undefined ? {} : { clock }) })
  return {
    reader,
    foreign: postgresAccess(server, () => reader.noteWritten()),
    lock: new WriteLock(server),
    openWatch: serverWatch(reader.monitor),
    walBytes: () => 0,
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
