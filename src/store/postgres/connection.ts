import type { PoolClient } from 'pg'

import { A2Error } from '../errors.ts'
import { TYPES } from './types.ts'

export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

export type Row = Readonly<Record<string, unknown>>

/** A transaction: read committed, so that every statement sees what was committed before it began. */
export interface Transaction {
  /** Runs statements in order and answers their rows. Where the driver can, they travel together. */
  send(...statements: readonly Statement[]): Promise<Row[][]>
  /** Keeps a statement whose rows nobody needs for the next `send` or `commit`. */
  later(statement: Statement): void
  /** The last statements, then the commit, then a hint that may fail. */
  commit(...statements: readonly Statement[]): Promise<Row[][]>
  /** Sent after the commit; whether it arrives changes nothing. */
  hint(statement: Statement): void
}

export interface Connection {
  /** One statement by itself. */
  query(statement: Statement): Promise<Row[]>
  /** Runs `run` as one transaction, again when the database chose it as the victim of a deadlock. */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>
}

const BEGIN: Statement = { sql: 'begin isolation level read committed', params: [] }
const COMMIT: Statement = { sql: 'commit', params: [] }
const ROLLBACK: Statement = { sql: 'rollback', params: [] }

/** deadlock_detected, serialization_failure: nothing happened, and the same again may well succeed. */
const RETRIED_CODES: readonly unknown[] = ['40P01', '40001']
const MAX_RUNS = 6

/** Where clients come from: a pool, or one client that is handed out again and again. */
export interface ClientSource {
  connect(): Promise<PoolClient>
}

export interface ConnectionHooks {
  /** Statements that follow each `begin`. */
  readonly prologue?: readonly Statement[]
  /** A commit, or a statement by itself, is about to be sent: from now on its outcome may be unknown. */
  readonly onCommit?: () => void
}

export function makeConnection(pool: ClientSource, hooks: ConnectionHooks = {}): Connection {
  return {
    query: (statement) =>
      withClient(pool, async (client) => {
        hooks.onCommit?.()
        return (await sendAll(client, [statement]))[0]!
      }),
    async transaction(run) {
      for (let runs = 1; ; runs += 1) {
        try {
          return await withClient(pool, (client, discard) =>
            runTransaction(client, discard, run, hooks),
          )
        } catch (error) {
          if (runs === MAX_RUNS || !isRetried(error)) throw error
          await new Promise((resume) => setTimeout(resume, Math.random() * 10 * 2 ** runs))
        }
      }
    },
  }
}

async function runTransaction<T>(
  client: PoolClient,
  discard: (reason: Error) => void,
  run: (tx: Transaction) => Promise<T>,
  { prologue = [], onCommit }: ConnectionHooks,
): Promise<T> {
  let kept: Statement[] = [BEGIN, ...prologue]
  const hints: Statement[] = []
  let isOver = false
  const flush = async (statements: readonly Statement[]): Promise<Row[][]> => {
    const batch = [...kept, ...statements]
    const skipped = kept.length
    kept = []
    return (await sendAll(client, batch)).slice(skipped)
  }
  const commit = async (...statements: readonly Statement[]): Promise<Row[][]> => {
    isOver = true
    onCommit?.()
    const rows = await flush([...statements, COMMIT])
    if (hints.length > 0) await sendAll(client, hints).catch(() => {})
    return rows.slice(0, -1)
  }
  const tx: Transaction = {
    send: (...statements) => flush(statements),
    later: (statement) => void kept.push(statement),
    commit,
    hint: (statement) => void hints.push(statement),
  }
  try {
    const answer = await run(tx)
    if (!isOver) await commit()
    return answer
  } catch (error) {
    await sendAll(client, [ROLLBACK]).catch(discard)
    throw error
  }
}

/** A client that was lost, or could not roll back, is closed instead of used again. */
async function withClient<T>(
  pool: ClientSource,
  run: (client: PoolClient, discard: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  let client: PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw unavailable(error)
  }
  let lost: Error | undefined
  const discard = (reason: Error): void => {
    lost = reason
  }
  client.on('error', discard)
  try {
    return await run(client, discard)
  } finally {
    client.off('error', discard)
    client.release(lost)
  }
}

async function sendAll(client: PoolClient, statements: readonly Statement[]): Promise<Row[][]> {
  const send = ({ sql, params }: Statement) =>
    client.query<Row>({ text: sql, values: [...params], types: TYPES })
  try {
    if (!client.pipeline) {
      const rows: Row[][] = []
      for (const statement of statements) rows.push((await send(statement)).rows)
      return rows
    }
    // All are awaited, so that nothing is under way when an error is answered.
    const answers = await Promise.allSettled(statements.map(send))
    return answers.map((answer) => {
      if (answer.status === 'rejected') throw answer.reason
      return answer.value.rows
    })
  } catch (error) {
    throw unavailable(error)
  }
}

function unavailable(error: unknown): A2Error {
  if (error instanceof A2Error) return error
  const reason = error instanceof Error ? error.message : 'unknown'
  return new A2Error('STORE_UNAVAILABLE', `the database cannot be used: ${reason}`, {
    cause: error,
  })
}

function isRetried(error: unknown): boolean {
  const cause = error instanceof A2Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && RETRIED_CODES.includes(cause.code)
}
