import type { DatabaseTrouble } from './database.ts'

/** How careful the screens are with a database. */
export const ENVIRONMENTS = ['local', 'staging', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/**
 * As libpq's `sslmode`. disable: never. prefer: TLS when the server has it, else plain. require: TLS,
 * not verified unless there is a root certificate. verify-ca: the chain is verified. verify-full: the
 * chain and the host name.
 */
export const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof TLS_MODES)[number]

export interface TlsSettings {
  readonly mode: TlsMode
  /** Path of a PEM file, or `system` for the trust store of the system; null: none. */
  readonly rootCert: string | null
  /** Paths of the client's own certificate and its key, both PEM; null: none. */
  readonly cert: string | null
  readonly key: string | null
}

/** Where a secret comes from when the server asks for it. Never the secret itself. */
export type SecretSource =
  /** A person is asked, once a connection. */
  | { readonly from: 'ask' }
  /** As libpq: PGPASSWORD, then the password file; `passfile` null: the usual one. */
  | { readonly from: 'pgpass'; readonly passfile: string | null }
  /** A program and its arguments, run without a shell; the first line it prints. */
  | { readonly from: 'command'; readonly argv: readonly string[] }
  /** Kept in the vault of the program under this id. */
  | { readonly from: 'stored'; readonly id: string }

/** All that is needed to connect, but for secrets. Safe to store, show and send. */
export interface ConnectionSettings {
  /** A name, an IPv4 address, an IPv6 address without brackets, or the folder of a Unix socket (begins with `/`). */
  readonly host: string
  /** Connect here instead of looking the host name up; null: look it up. */
  readonly hostAddress: string | null
  readonly port: number
  readonly database: string
  readonly user: string
  /** The only entry of the search path; null: as the server has it. */
  readonly schema: string | null
  readonly tls: TlsSettings
  /** A destination for the system's `ssh`, through which host and port are reached; null: directly. */
  readonly sshHost: string | null
  readonly environment: Environment
  readonly password: SecretSource
  /** For an encrypted client key. */
  readonly keyPassphrase: SecretSource
}

/** What was agreed with the server, not what was asked for. */
export type NegotiatedTls =
  | {
      readonly kind: 'plain'
      /** unix-socket: never leaves the machine. disabled: not asked for. refused: asked for, the server has none. */
      readonly why: 'unix-socket' | 'disabled' | 'refused'
    }
  | {
      readonly kind: 'tls'
      /** `TLSv1.3` */
      readonly protocol: string
      /** `TLS_AES_256_GCM_SHA384` */
      readonly cipher: string
      /** What was checked. none: encrypted, but the server may be anybody. */
      readonly verified: 'none' | 'chain' | 'chain-and-host'
      /** The server's certificate: `CN=db.example`. */
      readonly peerSubject: string
      readonly peerIssuer: string
      /** Epoch ms. */
      readonly expiresAt: number
      readonly hasClientCertificate: boolean
    }

/** What is known of the server of an open connection. */
export interface ServerFacts {
  /** `18.4` */
  readonly version: string
  /** 180004 */
  readonly versionNumber: number
  /** In recovery: it replays another server and takes no writes. */
  readonly isStandby: boolean
  /** A pooler such as PgBouncer stands between; each read is then a transaction of its own. */
  readonly isPooled: boolean
  readonly tls: NegotiatedTls
}

export type ConnectionState =
  | {
      readonly status: 'connected'
      /** Epoch ms. */
      readonly since: number
      readonly server: ServerFacts
    }
  | {
      readonly status: 'reconnecting'
      readonly since: number
      /** How often it was tried since the connection was lost; 0 before the first try. */
      readonly attempt: number
      /** Epoch ms; null while a try is under way. */
      readonly nextAttemptAt: number | null
      readonly reason: DatabaseTrouble
    }
  | {
      readonly status: 'disconnected'
      readonly since: number
      /** null: closed on purpose. */
      readonly reason: DatabaseTrouble | null
    }

/** The limits every connection of a kind is opened with, milliseconds; shown to the person. */
export interface ConnectionLimits {
  readonly statementTimeoutMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
}

/** What the test button found. */
export interface ConnectionTest {
  readonly server: ServerFacts
  /** The version of the a2 tables; none: there is no a2_events on the search path. */
  readonly schema: '0.16' | '0.18' | 'none'
  readonly rights: {
    readonly canRead: boolean
    /** False on a standby too. */
    readonly canWrite: boolean
    /** Policies of the server may hide rows from this role. */
    readonly isRowSecurityActive: boolean
  }
  readonly size: {
    /** The planner's estimate; null when the table was never analysed, or is absent. */
    readonly estimatedEvents: number | null
    /** Tables and indexes of a2; null when absent. */
    readonly bytes: number | null
  }
  /** Median of five round trips. */
  readonly latencyMs: number
  /** The database's clock minus this machine's. */
  readonly clockDifferenceMs: number
}

/** The answer to a wish to write. */
export type UnlockOutcome =
  | {
      readonly outcome: 'unlocked'
      /** Epoch ms. */
      readonly until: number
    }
  | { readonly outcome: 'refused'; readonly reason: DatabaseTrouble }
