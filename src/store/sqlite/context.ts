import type Database from 'better-sqlite3'

import type { Clock } from '../store.ts'

/** A statement that is prepared when it is first used: a foreign file may lack what others need. */
export interface LazyStatement {
  get<Row>(...params: readonly unknown[]): Row | undefined
  all<Row>(...params: readonly unknown[]): Row[]
  /** Answers how many rows were changed. */
  run(...params: readonly unknown[]): number
}

/** One open database with what the operations need besides. */
export interface SqliteContext {
  readonly clock: Clock
  readonly generateId: () => string
  readonly clearEventType: string
  /** Whether a2_clears exists. A file of 0.16 has none: nothing was ever cleared in it. */
  hasClearsTable(): boolean
  prepare(sql: string): LazyStatement
  /** Runs as one transaction that holds the write lock from its beginning. */
  write<T>(run: () => T): T
  /** Runs with one view of the database. */
  snapshot<T>(run: () => T): T
}

export interface ContextOptions {
  readonly clock: Clock
  readonly generateId: () => string
  readonly clearEventType: string
  readonly hasClearsTable: () => boolean
}

export function makeContext(database: Database.Database, options: ContextOptions): SqliteContext {
  const transaction = (begin: LazyStatement, commit: LazyStatement, rollback: LazyStatement) => {
    return <T>(run: () => T): T => {
      begin.run()
      try {
        const answer = run()
        commit.run()
        return answer
      } catch (error) {
        // Some errors (a full disk) have rolled back already.
        if (database.inTransaction) rollback.run()
        throw error
      }
    }
  }
  const prepare = (sql: string): LazyStatement => lazyStatement(database, sql)
  const commit = prepare('commit')
  const rollback = prepare('rollback')
  return {
    ...options,
    prepare,
    write: transaction(prepare('begin immediate'), commit, rollback),
    snapshot: transaction(prepare('begin'), commit, rollback),
  }
}

function lazyStatement(database: Database.Database, sql: string): LazyStatement {
  let statement: Database.Statement | undefined
  const prepared = (): Database.Statement => (statement ??= database.prepare(sql))
  return {
    get: <Row>(...params: readonly unknown[]) => prepared().get(...params) as Row | undefined,
    all: <Row>(...params: readonly unknown[]) => prepared().all(...params) as Row[],
    run: (...params) => prepared().run(...params).changes,
  }
}
