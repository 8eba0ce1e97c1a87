import type { ConnectionLimits, ConnectionState, Environment } from './connection.ts'

/** How the way to a server is doing; for the frame of the window and the status bar. No secrets. */
export interface ConnectionReport {
  /** Who, where, which database. */
  readonly path: string
  /** What the person called it; null: not saved under a name. */
  readonly name: string | null
  readonly environment: Environment
  readonly state: ConnectionState
  /** Epoch ms of this machine; null: writing is locked. */
  readonly unlockedUntil: number | null
  /** The database's clock minus this machine's; null until it was measured. */
  readonly clockDifferenceMs: number | null
  /** What the server was told to enforce, for each of our connections. */
  readonly limits: Readonly<Record<'interactive' | 'background' | 'writer', ConnectionLimits>>
}
