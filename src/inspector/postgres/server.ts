import type { ConnectionSettings, UnlockOutcome } from '../../model/connection.ts'
import type { ConnectionUsage } from '../../store/postgres/connect/gate.ts'
import type { Connection, Row, Statement } from '../../store/postgres/connection.ts'

/** Single statements over one connection that cannot write. Rejects with StoreTrouble. */
export interface StatementReader {
  query(statement: Statement, options?: { readonly deadlineMs?: number }): Promise<Row[]>
}

/** What the inspector needs of a gate to one server. No session state is relied on. */
export interface PostgresServer {
  /** Who, where, which database; no secrets. */
  readonly path: string
  readonly settings: Pick<ConnectionSettings, 'schema' | 'database'>
  readonly interactive: StatementReader
  readonly background: StatementReader
  /** By our own count. */
  usage(): ConnectionUsage
  unlock(): Promise<UnlockOutcome>
  lock(): Promise<void>
  /** Told of unlocking and of locking, whoever did it; the answer ends it. */
  onWriting(listener: (unlockedUntil: number | null) => void): () => void
  /** Runs once on a connection that may write. Rejects with StoreTrouble. */
  write<T>(run: (connection: Connection) => Promise<T>): Promise<T>
}
