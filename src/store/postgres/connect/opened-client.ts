import type { Duplex } from 'node:stream'
import { Client, type ClientConfig, type CustomTypesConfig, type QueryResult } from 'pg'

import type { NegotiatedTls, ServerFacts } from '../../../model/connection.ts'
import type { TroubleKind } from '../../../model/database.ts'
import { StoreTrouble } from '../../trouble.ts'
import type { Row, Statement } from '../connection.ts'
import {
  APPLICATION_NAME,
  type ClientRole,
  SERVER_KEEPALIVE,
  settingsOf,
  startupOptions,
} from './guard.ts'
import type { Check } from './server-check.ts'
import type { Way } from './socket.ts'
import type { Target } from './target.ts'
import { makeTrouble, toTrouble } from './trouble.ts'
import { LOSSLESS_TYPES } from './value-types.ts'

/** An open connection of ours. */
export interface OpenClient {
  readonly role: ClientRole
  readonly client: Client
  /**
   * session: its settings are in force as long as it is open. transaction: a pooler changes the session
   * behind it, so every transaction has to bring its settings along.
   */
  readonly guard: 'session' | 'transaction'
  readonly tls: NegotiatedTls
  /** As they were when it was opened, but for a standby that has been promoted since. */
  facts(): ServerFacts
  /** Runs whenever the server tells that the facts are others now, which it does with an answer. */
  onFacts(run: () => void): void
  readonly backend: { readonly pid: number; readonly started: string | null }
  /** What a cancel request has to name. */
  readonly cancelKey: { readonly processId: number; readonly secretKey: number }
  /** Sends statements in order, without waiting in between; answers the rows of all, or throws StoreTrouble of the first that failed. */
  send(statements: readonly Statement[], types?: CustomTypesConfig): Promise<Row[][]>
  /** Why it is gone; null while it is open. */
  lost(): StoreTrouble | null
  /** Runs once, at once if it is gone already. */
  onLost(run: (reason: StoreTrouble) => void): void
  /** Cuts it off. */
  destroy(reason: StoreTrouble): void
  /** Says goodbye, and cuts it off if that takes long. */
  end(): Promise<void>
}

/** How a connection introduces itself. */
export interface Startup {
  readonly target: Target
  readonly role: ClientRole
  /** False for a pooler that refuses them. */
  readonly withOptions: boolean
}

/** Parts of the driver that its types leave out. */
interface DriverInternals {
  processID: number
  secretKey: number
  password: unknown
  connectionParameters: { password: unknown }
  getStartupConf(): Record<string, string>
  connection: {
    on(event: 'parameterStatus', run: (message: ParameterStatus) => void): void
  }
}

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

const END_MS = 1_000
/** One statement a text, never several; the types leave this option out. */
const EXTENDED = 'extended'

/** One client of the driver over a stream that is open already. */
export class OpenedClient implements OpenClient {
  readonly role: ClientRole
  readonly client: Client
  readonly tls: NegotiatedTls
  readonly #target: Target
  readonly #way: Way
  readonly #stream: Duplex
  readonly #waiting: ((reason: StoreTrouble) => void)[] = []
  #lost: StoreTrouble | null = null
  #check: Check | null = null
  #tellFacts: () => void = () => {}
  #isStandby: boolean | null = null

  constructor(startup: Startup, way: Way, stream: Duplex, tls: NegotiatedTls) {
    const { target, role } = startup
    this.role = role
    this.tls = tls
    this.#target = target
    this.#way = way
    this.#stream = adopt(stream)
    this.client = new Client(driverConfig(target, this.#stream))
    const driver = this.#driver()
    driver.getStartupConf = () => startupPacket(startup)
    driver.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName !== 'in_hot_standby') return
      this.#isStandby = parameterValue === 'on'
      this.#tellFacts()
    })
    this.client.on('error', (error) => this.#lose(error))
    this.#stream.on('close', () => this.#lose(null))
  }

  async connect(): Promise<void> {
    try {
      await this.client.connect()
    } catch (error) {
      // What is wrong in the exchange of proofs has no code.
      throw this.#translate(error, 'auth-failed')
    } finally {
      this.#driver().connectionParameters.password = undefined
      this.#driver().password = undefined
    }
  }

  /** Refuses what cannot be worked with. */
  learn(check: Check): void {
    if (!check.has_schema) {
      const { schema } = this.#target.settings
      throw makeTrouble(this.#target.maker, 'no-such-schema', schema)
    }
    this.#check = check
  }

  get guard(): 'session' | 'transaction' {
    const { pid, not_applied: notApplied } = this.#known()
    return pid === this.#driver().processID && notApplied === 0 ? 'session' : 'transaction'
  }

  get backend(): OpenClient['backend'] {
    const { pid, started } = this.#known()
    return { pid, started }
  }

  get cancelKey(): OpenClient['cancelKey'] {
    const { processID, secretKey } = this.#driver()
    return { processId: processID, secretKey }
  }

  facts(): ServerFacts {
    const check = this.#known()
    return {
      version: check.version,
      versionNumber: check.version_number,
      isStandby:
        this.guard === 'session' ? (this.#isStandby ?? check.is_standby) : check.is_standby,
      isPooled: check.pid !== this.#driver().processID,
      tls: this.tls,
    }
  }

  onFacts(run: () => void): void {
    this.#tellFacts = run
  }

  async send(statements: readonly Statement[], types = LOSSLESS_TYPES): Promise<Row[][]> {
    const answers = await Promise.allSettled(
      statements.map(({ sql, params }) => {
        const query = { text: sql, values: [...params], types, queryMode: EXTENDED }
        const answer: Promise<QueryResult<Row>> = this.client.query<Row>(query)
        return answer
      }),
    )
    return answers.map((answer) => {
      if (answer.status === 'rejected') throw this.#translate(answer.reason, 'unexpected')
      return answer.value.rows
    })
  }

  lost(): StoreTrouble | null {
    return this.#lost
  }

  onLost(run: (reason: StoreTrouble) => void): void {
    if (this.#lost === null) this.#waiting.push(run)
    else run(this.#lost)
  }

  destroy(reason: StoreTrouble): void {
    this.#lose(reason)
    this.#stream.destroy()
    this.#way.socket.destroy()
  }

  async end(): Promise<void> {
    const gone = makeTrouble(this.#target.maker, 'connection-lost', 'closed')
    this.#lost ??= gone
    const cut = setTimeout(() => this.destroy(gone), END_MS)
    await this.client.end().catch(() => {})
    clearTimeout(cut)
    this.destroy(gone)
  }

  #known(): Check {
    if (this.#check === null) throw new Error('the connection was not checked')
    return this.#check
  }

  #driver(): DriverInternals {
    return this.client as unknown as DriverInternals
  }

  #translate(error: unknown, fallback: TroubleKind): StoreTrouble {
    if (this.#lost !== null) return this.#lost
    // The driver's words for a dead socket have no code.
    const isGone = this.#stream.destroyed || this.#stream.readableEnded
    const maker = this.#target.maker
    return toTrouble(maker, this.#cause(error), isGone ? 'connection-lost' : fallback)
  }

  /** How ssh ended, or a deadline of ours, says more than what became of it further up. */
  #cause(error: unknown): unknown {
    const failure = this.#way.failure()
    return failure instanceof StoreTrouble ? failure : (error ?? failure)
  }

  #lose(error: unknown): void {
    if (this.#lost !== null) return
    this.#lost = toTrouble(this.#target.maker, this.#cause(error), 'connection-lost')
    for (const run of this.#waiting.splice(0)) run(this.#lost)
  }
}

function driverConfig({ settings, credentials, maker }: Target, stream: Duplex): ClientConfig {
  return {
    host: settings.host,
    port: settings.port,
    user: settings.user,
    database: settings.database,
    ssl: false,
    stream: () => stream,
    pipeline: true,
    application_name: APPLICATION_NAME,
    password: () => {
      const secret = credentials.known('password')
      // The driver answers a rejection as the failure of the connection.
      if (secret === null) throw makeTrouble(maker, 'password-missing')
      return secret.reveal()
    },
  }
}

/** The driver would mix in the environment of the process. */
function startupPacket({ target, role, withOptions }: Startup): Record<string, string> {
  const { user, database, schema } = target.settings
  const options = startupOptions([...settingsOf(role, schema), ...SERVER_KEEPALIVE])
  return {
    user,
    database,
    application_name: APPLICATION_NAME,
    client_encoding: 'UTF8',
    ...(withOptions ? { options } : {}),
  }
}

/** Makes an open stream look like a socket the driver may connect. */
function adopt(stream: Duplex): Duplex {
  const nothing = (): Duplex => stream
  const missing = Object.fromEntries(
    ['setNoDelay', 'setKeepAlive', 'ref', 'unref']
      .filter((name) => !(name in stream))
      .map((name) => [name, nothing]),
  )
  return Object.assign(stream, missing, {
    connect(): Duplex {
      process.nextTick(() => {
        stream.emit(stream.destroyed ? 'close' : 'connect')
        // It was paused while nobody listened.
        stream.resume()
      })
      return stream
    },
  })
}
