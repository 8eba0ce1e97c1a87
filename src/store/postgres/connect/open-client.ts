import type { Duplex } from 'node:stream'
import { Client, type ClientConfig, type CustomTypesConfig, type QueryResult } from 'pg'

import type { NegotiatedTls, ServerFacts } from '../../../model/connection.ts'
import type { TroubleKind } from '../../../model/database.ts'
import { StoreTrouble } from '../../trouble.ts'
import type { Row, Statement } from '../connection.ts'
import { type Deadline, makeDeadline } from './deadline.ts'
import { APPLICATION_NAME, type ClientRole, settingsOf, startupOptions } from './guard.ts'
import { negotiateTls, planTlsFor } from './negotiate-tls.ts'
import { type Check, checkStatement } from './server-check.ts'
import { openWay, type Way } from './socket.ts'
import type { Target } from './target.ts'
import type { TlsPlan } from './tls-options.ts'
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

export const CONNECT_DEADLINE_MS = 10_000
const END_MS = 1_000
/** One statement a text, never several; the types leave this option out. */
const EXTENDED = 'extended'
/** protocol_violation: how a pooler refuses startup options, among other things. */
const POOLER_REFUSES = '08P01'

/**
 * Connects, and finds out where it ended up. A password is fetched only when the server asks for one,
 * outside of the deadline, for a person may have to type it. Rejects with StoreTrouble.
 */
export async function openClient(
  target: Target,
  role: ClientRole,
  deadlineMs = CONNECT_DEADLINE_MS,
): Promise<OpenClient> {
  const plan = await planTlsFor(target)
  let attempt: Attempt = { target, role, plan, withOptions: true, remedies: [] }
  for (;;) {
    try {
      return await openAndCheck(attempt, makeDeadline(deadlineMs))
    } catch (error) {
      attempt = await remedy(attempt, toTrouble(target.maker, error))
    }
  }
}

interface Attempt {
  readonly target: Target
  readonly role: ClientRole
  readonly plan: TlsPlan | null
  readonly withOptions: boolean
  /** What was tried already, each once. */
  readonly remedies: readonly string[]
}

/** What to do otherwise the next time; throws the trouble where there is nothing left to do. */
async function remedy(attempt: Attempt, reason: StoreTrouble): Promise<Attempt> {
  const { credentials } = attempt.target
  const { kind, code } = reason.trouble
  if (attempt.remedies.includes(kind)) throw reason
  const next = { ...attempt, remedies: [...attempt.remedies, kind] }
  if (code === POOLER_REFUSES && attempt.withOptions) return { ...next, withOptions: false }
  if (kind === 'password-missing' && credentials.known('password') === null) {
    await credentials.fetch('password')
    return next
  }
  if (kind !== 'auth-failed' || !(await canRenew(attempt))) throw reason
  return next
}

/** A refused password may have been changed at its source, or have been good for a while only. */
async function canRenew({ target: { credentials }, remedies }: Attempt): Promise<boolean> {
  const refused = credentials.known('password')
  const isFresh = remedies.includes('password-missing')
  if (!credentials.refuse('password') || refused === null || isFresh) return false
  const renewed = await credentials.fetch('password').catch(() => null)
  return renewed !== null && !renewed.isSame(refused)
}

async function openAndCheck(attempt: Attempt, deadline: Deadline): Promise<OpenClient> {
  const { target, role } = attempt
  const { maker } = target
  const way = await openWay(target, deadline)
  const transport = await negotiateTls(way, target, attempt.plan, deadline)
  const takeBack = deadline.onExpiry(() =>
    transport.stream.destroy(makeTrouble(maker, 'timeout', 'ETIMEDOUT')),
  )
  const settings = settingsOf(role, target.settings.schema)
  const opened = new OpenedClient(attempt, way, transport.stream, transport.tls)
  try {
    await opened.connect()
    const statement = checkStatement(settings, target.settings.schema)
    const [rows = []] = await opened.send([statement])
    opened.learn(rows[0] as unknown as Check)
    return opened
  } catch (error) {
    const reason = toTrouble(maker, error)
    opened.destroy(reason)
    throw reason
  } finally {
    takeBack()
  }
}

class OpenedClient implements OpenClient {
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

  constructor(attempt: Attempt, way: Way, stream: Duplex, tls: NegotiatedTls) {
    const { target, role } = attempt
    this.role = role
    this.tls = tls
    this.#target = target
    this.#way = way
    this.#stream = adopt(stream)
    this.client = new Client(driverConfig(target, this.#stream))
    const driver = this.#driver()
    driver.getStartupConf = () => startupPacket(attempt)
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
function startupPacket({ target, role, withOptions }: Attempt): Record<string, string> {
  const { user, database, schema } = target.settings
  const options = startupOptions(settingsOf(role, schema))
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
