import { Actions } from './actions/actions.ts'
import { AuditLog } from './audit-log.ts'
import { Background } from './background.ts'
import { DeadLetters } from './dead-letters.ts'
import { Events } from './events.ts'
import { readStamp } from './file-watch.ts'
import { makeRouter } from './router.ts'
import { Sessions } from './sessions.ts'
import { openSqliteReader } from './sqlite-reader.ts'
import { Tail } from './tail.ts'
import { WriteLock } from './write-lock.ts'

export interface InspectorOptions {
  /** Absolute path of the database file; it may be anything, or not exist. */
  readonly path: string
  /** Where the audit log is kept; made when it is missing. */
  readonly dataFolder: string
  /** The machine's clock, unless a test stops it. SQLite has no clock of its own. */
  readonly clock?: { now(): Date }
  /** Told of defects of ours that no answer can carry, for example in background work. */
  readonly onDefect?: (error: unknown) => void
}

export interface Inspector {
  /** Implements `databaseContract`; needs no context. */
  readonly router: ReturnType<typeof makeRouter>
  /** Ends subscriptions and background work and lets go of the file. */
  close(): Promise<void>
}

/**
 * Everything a screen can ask of one database. Opening reads nothing and never throws: a file that cannot
 * be read makes each procedure answer DATABASE_TROUBLE.
 */
export function openInspector(options: InspectorOptions): Inspector {
  const { path, dataFolder, clock = { now: () => new Date() }, onDefect = warn } = options
  const reader = openSqliteReader({ path, clock })
  const background = new Background({
    reader,
    walBytes: () => readStamp(path)?.walBytes ?? 0,
    onDefect,
  })
  const lock = new WriteLock()
  const tail = new Tail({ reader, background, lock, onDefect })
  const router = makeRouter({
    reader,
    sessions: new Sessions(reader, background),
    events: new Events(reader, background.work),
    deadLetters: new DeadLetters(reader, background),
    lock,
    actions: new Actions({
      reader,
      background,
      lock,
      log: new AuditLog(dataFolder),
      clock,
      onWrite: () => tail.poke(),
    }),
    tail,
  })
  return {
    router,
    close: async () => {
      tail.close()
      await background.close()
      reader.close()
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
