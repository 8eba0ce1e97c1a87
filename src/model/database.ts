/** What kind of trouble a database is in. Closed list; texts in `describeTrouble`. */
export const TROUBLE_KINDS = [
  'not-found',
  'is-a-folder',
  'not-a-file',
  'no-permission',
  'empty-file',
  'not-a-database',
  'encrypted',
  'not-a2',
  'column-missing',
  /** The tables demand or lack something, so that the statement was refused. */
  'incompatible',
  'corrupt',
  'locked',
  'read-only-folder',
  'hot-journal',
  'cannot-open',
  'read-only',
  'disk',
  /** Of ours, the one that read it; it was started again. */
  'process-ended',
  'unexpected',
  // Of a server, and of the way to it.
  'unreachable',
  'no-such-host',
  /** A deadline of ours or of the server passed. */
  'timeout',
  /** Stopped by the person. */
  'cancelled',
  'connection-lost',
  'auth-failed',
  /** No rule of the server lets this user in from here. */
  'not-admitted',
  'password-missing',
  /** The command or the vault that should give a secret did not. */
  'secret-unavailable',
  'tls-not-offered',
  'tls-untrusted',
  'tls-wrong-host',
  'tls-expired',
  /** The client's certificate is missing or was refused. */
  'tls-client-certificate',
  /** A certificate or key file on this machine cannot be used. */
  'tls-file',
  'tls-failed',
  'no-such-database',
  'no-such-schema',
  'no-a2-tables',
  /** The role lacks a right. */
  'no-right',
  'too-many-connections',
  /** It stops, starts, or recovers. */
  'server-shutting-down',
  'standby',
  'read-only-server',
  /** Nobody unlocked writing, or its time is over. */
  'writing-locked',
  'lock-timeout',
  'pooler-refused',
  'ssh-failed',
] as const
export type TroubleKind = (typeof TROUBLE_KINDS)[number]

/** Why a database cannot be read or written right now. */
export interface DatabaseTrouble {
  readonly kind: TroubleKind
  readonly path: string
  /** The driver's code or the missing name: `SQLITE_CORRUPT`, `a2_events.payload`. Never a stack. */
  readonly code: string | null
  /** What the server, ssh or a command said, at most a few lines, without secrets; hostile text. */
  readonly detail?: string | null
}

/** Facts about the open database, for the status bar and the database panel. */
export type DatabaseFacts = SqliteFacts | PostgresFacts

interface SharedFacts {
  /** A file's absolute path, or who, where and which database; no secrets. */
  readonly path: string
  readonly name: string
  readonly schema: '0.16' | '0.18' | 'unknown'
  readonly markerType: string
  /** Whether the marker type was learned from a marker in this database. */
  readonly isMarkerTypeLearned: boolean
  /** Tables beginning with a2_ that this program does not know. */
  readonly unknownTables: readonly string[]
  /** `table.column` of known tables that this program does not know. */
  readonly unknownColumns: readonly string[]
  /** `table.column` that this program knows and that are absent here. */
  readonly missingColumns: readonly string[]
  readonly hasWorkIndex: boolean
}

export interface SqliteFacts extends SharedFacts {
  readonly dialect: 'sqlite'
  readonly fileBytes: number
  readonly walBytes: number | null
  readonly journalMode: string
  readonly pageBytes: number
  readonly sqliteVersion: string
  /** Upper bound from max(rowid), not a count; null without rowids. */
  readonly eventsUpperBound: number | null
  /** True when the file is in WAL mode with no -wal beside it: a copy without its -wal would look like this. */
  readonly isWalAbsent: boolean
}

export interface PostgresFacts extends SharedFacts {
  readonly dialect: 'postgres'
  /** `18.4` */
  readonly serverVersion: string
  readonly database: string
  /** Where the tables are. */
  readonly schemaName: string
  readonly user: string
  /** Of the connection the facts came by; null: plain text. */
  readonly tls: { readonly protocol: string; readonly cipher: string } | null
  /** The planner's estimate, never a count; null when the table was never analysed. */
  readonly estimatedEvents: number | null
  /** Estimated from the planner's statistics, cleared ones included; null without statistics. */
  readonly estimatedUnfinished: number | null
  /** Tables and indexes of a2. */
  readonly sizeBytes: number
  /** Open connections of this program by this user, other windows' included. */
  readonly connections: number
  /** The database's clock minus this machine's; measured in the middle of the fastest round trip. */
  readonly clockDifferenceMs: number
  /** Of a short round trip, lately. */
  readonly latencyMs: number
  /** How often the server is asked for changes while someone watches. */
  readonly pollMs: number
  readonly isStandby: boolean
  /** Whether the role may write all a2 tables here; that of unlocking is another connection. */
  readonly canWrite: boolean
  /** Policies of the server may hide rows from this role. */
  readonly isRowSecurityActive: boolean
}
