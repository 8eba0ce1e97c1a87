import { A2Error } from '../errors.ts'
import type { Row } from './batch.ts'
import { type ClientSource, makeWires, type Statement, type Wire } from './wire.ts'

export type { Row } from './batch.ts'
export { type Statement, statement } from './wire.ts'

/** A transaction: read committed, so that every statement sees what was committed before it began. */
export interface Transaction {
  /** Runs statements in order and answers their rows. */
  send(...statements: readonly Statement[]): Promise<Row[][]>
  /** Keeps a statement whose rows nobody needs for the next `send` or `commit`. */
  later(statement: Statement): void
  /** The last statements and the commit. Without it the transaction commits when its function is over. */
  commit(...statements: readonly Statement[]): Promise<Row[][]>
}

export interface Connection {
  /** One statement by itself. */
  query(statement: Statement): Promise<Row[]>
  /** Runs `run` as one transaction, again when the database chose it as the victim of a deadlock, or another took an id. */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>
}

const BEGIN: Statement = { sql: 'begin isolation level read committed', params: [] }
const COMMIT: Statement = { sql: 'commit', params: [] }
const ROLLBACK: Statement = { sql: 'rollback', params: [] }

/** deadlock_detected, serialization_failure: nothing happened, and the same again may well succeed. */
const CONFLICTS = ['40P01', '40001']
/** A prepared statement is gone, or taken, or outdated: something between here and the server shares connections. */
const PREPARING_FAILED = ['26000', '42P05', '0A000']
const MAX_RUNS = 6
/** unique_violation: somebody stored the same id at the same moment, in another session. The next run sees its row. */
const TAKEN = '23505'

export interface ConnectionOptions {
  /** Statements are prepared under a name once a connection. */
  readonly prepares: boolean
  /** Statements that follow each `begin`. */
  readonly prologue?: readonly Statement[]
  /** A commit, or a statement by itself, is about to be sent: from now on its outcome may be unknown. */
  readonly onCommit?: () => void
}

export function makeConnection(source: ClientSource, options: ConnectionOptions): Connection {
  const { prepares, onCommit } = options
  const wires = makeWires(source, { prepares })
  const again = async <T>(run: () => Promise<T>): Promise<T> => {
    for (let runs = 1; ; runs += 1) {
      try {
        return await run()
      } catch (error) {
        const code = codeOf(error)
        if (prepares && PREPARING_FAILED.includes(code)) wires.stopPreparing()
        else if (!CONFLICTS.includes(code) && !(code === TAKEN && runs === 1)) throw error
        if (runs === MAX_RUNS) throw error
        await new Promise((resume) => setTimeout(resume, Math.random() * 10 * 2 ** runs))
      }
    }
  }
  return {
    query: (one) =>
      again(() =>
        wires.hold(async (wire) => {
          onCommit?.()
          return (await wire.send([one]))[0]!
        }),
      ),
    transaction: (run) => again(() => wires.hold((wire) => runTransaction(wire, run, options))),
  }
}

async function runTransaction<T>(
  wire: Wire,
  run: (tx: Transaction) => Promise<T>,
  { prologue = [], onCommit }: ConnectionOptions,
): Promise<T> {
  let kept: Statement[] = [BEGIN, ...prologue]
  let isOver = false
  const flush = async (statements: readonly Statement[]): Promise<Row[][]> => {
    const batch = [...kept, ...statements]
    const skipped = kept.length
    kept = []
    return (await wire.send(batch)).slice(skipped)
  }
  const commit = async (...statements: readonly Statement[]): Promise<Row[][]> => {
    isOver = true
    onCommit?.()
    return (await flush([...statements, COMMIT])).slice(0, -1)
  }
  const tx: Transaction = {
    send: (...statements) => flush(statements),
    later: (statement) => void kept.push(statement),
    commit,
  }
  try {
    const answer = await run(tx)
    if (!isOver) await commit()
    return answer
  } catch (error) {
    await wire.send([ROLLBACK]).catch((failure: Error) => wire.discard(failure))
    throw error
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof A2Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
