import { Actions } from './actions/actions.ts'
import type { ForeignAccess } from './actions/writing.ts'
import { AuditLog } from './audit-log.ts'
import { Background } from './background.ts'
import { makeBackgroundRouter } from './background-router.ts'
import type { OpenWatch } from './change-watch.ts'
import { ConnectionProcedures } from './connection-procedures.ts'
import type { ConnectionSource } from './connection-source.ts'
import { DeadLetters } from './dead-letters.ts'
import { Events } from './events.ts'
import { makeFootprint } from './footprint.ts'
import type { Reader } from './reader.ts'
import type { RemoteScans } from './scans/remote-scans.ts'
import { makeRouter } from './router.ts'
import { Search } from './search.ts'
import { Sessions } from './sessions.ts'
import { Tail } from './tail.ts'
import type { WriteLock } from './write-lock.ts'

export interface InspectorOptions {
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

export interface Inspector {
  /** Implements `databaseContract`; needs no context. */
  readonly router: ReturnType<typeof makeRouter>
  /** Implements `backgroundContract` right here; needs no context. */
  readonly backgroundRouter: ReturnType<typeof makeBackgroundRouter>
  /** Has what the first screen asks for read while that screen is still being loaded. Never rejects: the screen is told what is wrong. */
  warmUp(): Promise<void>
  /** Ends subscriptions and background work and lets go of the database. */
  close(): Promise<void>
}

/** The parts in which the dialects differ. */
export interface Dialect {
  readonly reader: Reader
  readonly foreign: ForeignAccess
  readonly lock: WriteLock
  readonly openWatch: OpenWatch
  readonly walBytes: () => number
  /** See `Background`. */
  readonly isLarge: () => boolean
  /** The process beside this one that does the scanning; without one it is done here. */
  readonly remote?: RemoteScans
  /** What is shown of the way to a server. */
  readonly connection?: ConnectionSource
}

/** Everything a screen can ask of one database, over the parts of its dialect. */
export function assembleInspector(dialect: Dialect, options: InspectorOptions): Inspector {
  const { dataFolder, clock = SYSTEM_CLOCK, onDefect = warn } = options
  const { reader, lock, foreign, remote, openWatch } = dialect
  const background = new Background({
    reader,
    walBytes: dialect.walBytes,
    isLarge: dialect.isLarge,
    onDefect,
    ...(remote === undefined ? {} : { remote }),
  })
  const connection = new ConnectionProcedures(dialect.connection ?? null, reader)
  const tail = new Tail({ reader, background, lock, connection, openWatch, onDefect })
  const router = makeRouter({
    reader,
    footprint: makeFootprint({ reader, tail, remote }),
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
    warmUp: () => background.sessions.addRecent().catch(() => undefined),
    close: async () => {
      tail.close()
      lock.close()
      await background.close()
      reader.close()
    },
  }
}

export const SYSTEM_CLOCK = { now: () => new Date() }

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
