import type { CustomTypesConfig } from 'pg'

import type { StoreTrouble } from '../../trouble.ts'
import type { Row, Statement } from '../connection.ts'
import { type Deadline, makeDeadline, within } from './deadline.ts'
import { type ClientRole, settingsOf, transactionSettings } from './guard.ts'
import type { OpenClient } from './opened-client.ts'
import type { Target } from './target.ts'
import { isLoss, makeTrouble, toTrouble } from './trouble.ts'

export interface ReadOptions {
  /** The call has its answer or is rejected by then, whatever becomes of the network. Default: a little more than the statement timeout of the server. */
  readonly deadlineMs?: number
  /** Stops the statement on the server too; the call rejects with `cancelled`. */
  readonly signal?: AbortSignal
  /** How values are read; by default integers are numbers (digits where a number cannot hold them), booleans booleans, all else is text. */
  readonly types?: CustomTypesConfig
}

/** Reads over one connection that cannot write: one statement at a time, in the order they were asked for. */
export interface Reader {
  /** The rows. Repeated when the connection is lost; rejects with StoreTrouble. */
  query<R extends Row = Row>(statement: Statement, options?: ReadOptions): Promise<R[]>
  /** Stops what runs now on the server. False: nothing runs. Resolves when it has stopped. */
  cancel(): Promise<boolean>
}

/** What a lane needs of the connections it does not own. */
export interface LaneHost {
  /** Waits while it is being reconnected; rejects with StoreTrouble by the deadline. */
  acquire(role: ClientRole, deadline: Deadline, signal?: AbortSignal): Promise<OpenClient>
  /** Nothing is being read over this connection for now. */
  released(role: ClientRole): void
  /** Asks the server to stop what this connection runs. Never rejects. */
  stop(client: OpenClient): Promise<void>
}

const GRACE_MS = 2_000
const STOP_MS = 3_000
/** A statement that takes the server down with it must not do so for ever. */
const MAX_RUNS = 3

interface Call {
  readonly statement: Statement
  readonly deadline: Deadline
  readonly signal: AbortSignal
  readonly types: CustomTypesConfig | undefined
}

export class Lane implements Reader {
  readonly #role: ClientRole
  readonly #target: Target
  readonly #host: LaneHost
  #last: Promise<void> = Promise.resolve()
  #running: { readonly stop: AbortController; readonly over: Promise<void> } | null = null

  constructor(role: ClientRole, target: Target, host: LaneHost) {
    this.#role = role
    this.#target = target
    this.#host = host
  }

  get isBusy(): boolean {
    return this.#running !== null
  }

  async query<R extends Row>(statement: Statement, options: ReadOptions = {}): Promise<R[]> {
    const { statementTimeoutMs } = this.#role.limits
    const stop = new AbortController()
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
    const deadline = makeDeadline(options.deadlineMs ?? statementTimeoutMs + GRACE_MS)
    const before = this.#last
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    this.#last = over
    try {
      await within(
        deadline,
        before,
        () => this.#late(),
        signal,
        () => this.#cancelled(),
      )
      this.#running = { stop, over }
      return (await this.#run({ statement, deadline, signal, types: options.types })) as R[]
    } finally {
      if (this.#running?.over === over) {
        this.#running = null
        this.#host.released(this.#role)
      }
      // Who gave up in the queue must not let the next one in before its turn.
      void before.then(end)
    }
  }

  async cancel(): Promise<boolean> {
    const running = this.#running
    if (running === null) return false
    running.stop.abort()
    await running.over
    return true
  }

  async #run(call: Call): Promise<Row[]> {
    for (let runs = 1; ; runs += 1) {
      const client = await this.#host.acquire(this.#role, call.deadline, call.signal)
      try {
        return await this.#send(client, call)
      } catch (error) {
        const trouble = toTrouble(this.#target.maker, error)
        if (!isLoss(trouble) || runs === MAX_RUNS || call.deadline.leftMs() === 0) throw trouble
        // The goodbye of the server can come before the end of the connection.
        client.destroy(trouble)
      }
    }
  }

  async #send(client: OpenClient, { statement, deadline, signal, types }: Call): Promise<Row[]> {
    const isWhole = client.guard === 'transaction'
    const batch = isWhole ? inTransaction(this.#role, this.#target, statement) : [statement]
    const sent = client.send(batch, types)
    const late = this.#late()
    const cancelled = this.#cancelled()
    try {
      const answers = await within(
        deadline,
        sent,
        () => late,
        signal,
        () => cancelled,
      )
      return answers.at(isWhole ? -2 : -1) ?? []
    } catch (error) {
      if (error === cancelled && !(await this.#stop(client, sent)))
        throw this.#cancelled('unconfirmed')
      if (error === late) {
        // Nobody waits any more; the socket may lead nowhere.
        void this.#host.stop(client)
        client.destroy(late)
      }
      throw error
    }
  }

  /** The connection is used again only when the statement has ended. False: nobody knows whether it did. */
  async #stop(client: OpenClient, sent: Promise<unknown>): Promise<boolean> {
    const deadline = makeDeadline(STOP_MS)
    const ended = Promise.allSettled([sent])
    const late = this.#late()
    // A cancel that arrives late would hit the next statement.
    const both = Promise.all([this.#host.stop(client), ended])
    try {
      await within(deadline, both, () => late)
      // A line that broke meanwhile ends the wait too, and says nothing of the server.
      return client.lost() === null
    } catch {
      client.destroy(late)
      return false
    }
  }

  #late(): StoreTrouble {
    return makeTrouble(this.#target.maker, 'timeout', 'deadline')
  }

  #cancelled(code: 'unconfirmed' | null = null): StoreTrouble {
    return makeTrouble(this.#target.maker, 'cancelled', code)
  }
}

/** One round trip, after which no transaction is open and no session changed. */
function inTransaction(role: ClientRole, target: Target, statement: Statement): Statement[] {
  const settings = settingsOf(role, target.settings.schema)
  return [
    { sql: 'begin', params: [] },
    ...transactionSettings(role, settings),
    statement,
    { sql: 'commit', params: [] },
  ]
}
