import { createHash } from 'node:crypto'
import { Client, type PoolClient } from 'pg'

import { A2Error } from '../errors.ts'
import { type Row, sendBatch } from './batch.ts'
import { TYPES } from './types.ts'

export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** Makes statements of one text, which is put together once. */
export function statement(sql: string): (...params: readonly unknown[]) => Statement {
  return (...params) => ({ sql, params })
}

/** A client of the source, for as long as it is held. */
export interface Wire {
  /** Runs statements in order and answers their rows; where the client can, they travel together. */
  send(statements: readonly Statement[]): Promise<Row[][]>
  /** The client is closed instead of used again. */
  discard(reason: Error): void
}

/** Where clients come from: a pool, or one client that is handed out again and again. */
export interface ClientSource {
  connect(): Promise<PoolClient>
}

export interface Wires {
  hold<T>(run: (wire: Wire) => Promise<T>): Promise<T>
  /** From now on every statement is sent as a whole. */
  stopPreparing(): void
}

/** `prepares`: statements are prepared under a name once a connection, and planned once. */
export function makeWires(source: ClientSource, options: { readonly prepares: boolean }): Wires {
  let prepares = options.prepares
  const send = async (client: PoolClient, statements: readonly Statement[]): Promise<Row[][]> => {
    try {
      if (client instanceof Client) {
        const named = statements.map((one) => ({
          ...one,
          name: prepares && one.params.length > 0 ? nameOf(one.sql) : undefined,
        }))
        return await sendBatch(client, named, TYPES)
      }
      return await sendEach(client, statements)
    } catch (error) {
      throw unavailable(error)
    }
  }
  return {
    stopPreparing() {
      prepares = false
    },
    async hold(run) {
      const client = await source.connect().catch((error: unknown) => {
        throw unavailable(error)
      })
      let lost: Error | undefined
      const discard = (reason: Error): void => {
        lost = reason
      }
      client.on('error', discard)
      try {
        return await run({
          discard,
          send: (statements) => send(client, statements),
        })
      } finally {
        client.off('error', discard)
        client.release(lost)
      }
    },
  }
}

/** For clients that only look like the driver's. */
async function sendEach(client: PoolClient, statements: readonly Statement[]): Promise<Row[][]> {
  const query = ({ sql, params }: Statement) =>
    client.query<Row>({ text: sql, values: [...params], types: TYPES })
  if (!client.pipeline) {
    const rows: Row[][] = []
    for (const one of statements) rows.push((await query(one)).rows)
    return rows
  }
  // All are awaited, so that nothing is under way when an error is answered.
  const answers = await Promise.allSettled(statements.map(query))
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value.rows
  })
}

const names = new Map<string, string>()

/** The same text has the same name in every process, so that a shared connection cannot mix them up. */
function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `a2_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
  }
  return name
}

function unavailable(error: unknown): A2Error {
  if (error instanceof A2Error) return error
  const reason = error instanceof Error ? error.message : 'unknown'
  return new A2Error('STORE_UNAVAILABLE', `the database cannot be used: ${reason}`, {
    cause: error,
  })
}
