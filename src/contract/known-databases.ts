import type { ConnectionSettings, Environment } from '../model/connection.ts'

/** A database file this host knows. */
export interface KnownFile {
  readonly kind: 'file'
  readonly databaseId: string
  /** Absolute path. */
  readonly path: string
  /** The same, with the home folder as `~`. */
  readonly shortPath: string
  /** Epoch ms; null: found, never opened here. */
  readonly openedAt: number | null
  readonly exists: boolean
  readonly sizeBytes: number | null
  /** Epoch ms of the last change to the file or its -wal; null when it does not exist. */
  readonly changedAt: number | null
}

/** A server this host knows: saved under a name, or opened once. */
export interface KnownConnection {
  readonly kind: 'connection'
  readonly databaseId: string
  /** Who, where, which database; no secrets. */
  readonly path: string
  /** What the person called it; null: not saved. */
  readonly name: string | null
  readonly environment: Environment
  /** Without secrets; where each comes from is in it. */
  readonly settings: ConnectionSettings
  /** The settings as a URL that reads back as the same; no secrets. */
  readonly printed: string
  /** Epoch ms; null: never opened here, or taken off the recent ones. */
  readonly openedAt: number | null
  /**
   * In the list of `connections` only: the host still has the password that was given for it. `save`, `test` and
   * `open` with settings use it where the user, the server and the way there are the same.
   */
  readonly isPasswordHeld?: true
}

export type KnownDatabase = KnownFile | KnownConnection

export type OpenedDatabase =
  | {
      readonly kind: 'file'
      /** Stable for a path: the same file has the same id after a restart. */
      readonly databaseId: string
      readonly path: string
      /** Set for the sample. */
      readonly isSample: boolean
    }
  | {
      readonly kind: 'connection'
      /** Stays the same when its settings are edited. */
      readonly databaseId: string
      /** Who, where, which database; no secrets. */
      readonly path: string
      readonly name: string | null
      readonly environment: Environment
      readonly isSample: false
    }
