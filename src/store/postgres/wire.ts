import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { PoolClient } from 'pg'

import { A2Error } from '../errors.ts'
import { TYPES } from './types.ts'

export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** Makes statements of one text, which is put together once. */
export function statement(sql: string): (...params: readonly unknown[]) => Statement {
  return (...params) => ({ sql, params })
}

export type Row = Readonly<Record<string, unknown>>

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
  const toQuery = ({ sql, params }: Statement) => ({
    text: sql,
    values: [...params],
    types: TYPES,
    ...(prepares && params.length > 0 ? { name: nameOf(sql) } : {}),
  })
  const send = async (client: PoolClient, statements: readonly Statement[]): Promise<Row[][]> => {
    try {
      if (!client.pipeline) {
        const rows: Row[][] = []
        for (const one of statements) rows.push((await client.query<Row>(toQuery(one))).rows)
        return rows
      }
      // All are awaited, so that nothing is under way when an error is answered.
      const answers = await Promise.allSettled(
        inOnePacket(client, () => statements.map((one) => client.query<Row>(toQuery(one)))),
      )
      return answers.map((answer) => {
        if (answer.status === 'rejected') throw answer.reason
        return answer.value.rows
      })
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

/** The driver writes each statement to the socket by itself unless the socket waits for all of them. */
function inOnePacket<T>(client: PoolClient, run: () => T): T {
  const { connection } = client as { connection?: { stream?: Partial<Writable> } }
  connection?.stream?.cork?.()
  try {
    return run()
  } finally {
    connection?.stream?.uncork?.()
  }
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
