import type { ConnectionLimits, ConnectionState, UnlockOutcome } from '../../model/connection.ts'
import { describeConnection } from '../../model/print-connection.ts'
import type { Secret } from '../../model/secret.ts'
import type { Connection, Row, Statement } from '../../store/postgres/connection.ts'
import { makeCredentials } from '../../store/postgres/connect/credentials.ts'
import {
  type ConnectionUsage,
  openGate,
  type PostgresGate,
} from '../../store/postgres/connect/gate.ts'
import { ROLES } from '../../store/postgres/connect/guard.ts'
import type { ReadOptions } from '../../store/postgres/connect/lane.ts'
import { type Machine, thisMachine } from '../../store/postgres/connect/local-files.ts'
import { isLasting } from '../../store/postgres/connect/trouble.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import type { PostgresServer, StatementReader } from '../postgres/server.ts'
import {
  type ConnectFailure,
  neededFor,
  NO_SECRETS,
  type Secrets,
  type ServerIdentity,
  withoutVault,
} from './secrets.ts'

/** After a failed attempt nobody's question starts the next one sooner. */
const REST_MS = 2_000

export interface LazyServerOptions extends ServerIdentity {
  readonly secrets?: Secrets
  readonly machine?: Machine
}

/**
 * A gate to a server that opens when it is asked to, or by the first question. A refusal that would come again,
 * such as a wrong password, is not tried again by itself: accounts get locked by that.
 */
export class LazyServer implements PostgresServer {
  readonly path: string
  readonly settings: ServerIdentity['settings']
  readonly name: string | null
  readonly interactive: StatementReader
  readonly background: StatementReader
  readonly #machine: Machine
  readonly #stateListeners = new Set<() => void>()
  readonly #writingListeners = new Set<(until: number | null) => void>()
  readonly #reads = new Set<AbortController>()
  readonly #since = Date.now()
  #secrets: Secrets
  #asked: ConnectFailure['needed'] = null
  #gate: PostgresGate | null = null
  #opening: Promise<PostgresGate> | null = null
  #failure: { readonly reason: StoreTrouble; readonly at: number } | null = null
  #isClosed = false

  constructor({
    settings,
    name,
    secrets = NO_SECRETS,
    machine = thisMachine(),
  }: LazyServerOptions) {
    this.path = describeConnection(settings)
    this.settings = withoutVault(settings)
    this.name = name
    this.#secrets = secrets
    this.#machine = machine
    this.interactive = { query: (...call) => this.#read('interactive', ...call) }
    this.background = { query: (...call) => this.#read('background', ...call) }
  }

  get state(): ConnectionState {
    if (this.#gate !== null) return this.#gate.state()
    const { reason, at } = this.#failure ?? {}
    return { status: 'disconnected', since: at ?? this.#since, reason: reason?.trouble ?? null }
  }

  usage(): ConnectionUsage {
    return this.#gate?.usage() ?? { connections: 0, isIdle: false }
  }

  get unlockedUntil(): number | null {
    return this.#gate?.unlockedUntil() ?? null
  }

  get limits(): Readonly<Record<'interactive' | 'background' | 'writer', ConnectionLimits>> {
    const { interactive, background, writer } = ROLES
    return {
      interactive: interactive.limits,
      background: background.limits,
      writer: writer.limits,
    }
  }

  /** Told after each change of the state. */
  onState(listener: () => void): () => void {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  onWriting(listener: (until: number | null) => void): () => void {
    this.#writingListeners.add(listener)
    return () => this.#writingListeners.delete(listener)
  }

  /** Resolves when it is connected, with null, or with why not. Given secrets replace those of before. */
  async connect(secrets: Secrets | null = null): Promise<ConnectFailure | null> {
    this.#asked = null
    try {
      await this.#opening?.catch(() => {})
      if (this.state.status === 'connected') return null
      if (secrets !== null) await this.#replaceSecrets(secrets)
      if (this.#gate === null) await this.#open()
      else await this.#gate.reconnect()
      return null
    } catch (error) {
      if (!(error instanceof StoreTrouble)) throw error
      return {
        trouble: error.trouble,
        needed: neededFor(error.trouble, this.settings, this.#asked),
      }
    }
  }

  /** Now instead of later. Rejects with StoreTrouble. */
  async reconnect(): Promise<void> {
    const failure = await this.connect()
    if (failure !== null) throw new StoreTrouble(failure.trouble)
  }

  /** Stops all reads under way; answers how many there were. */
  cancelReads(): number {
    const { size } = this.#reads
    for (const read of this.#reads) read.abort()
    return size
  }

  async unlock(): Promise<UnlockOutcome> {
    try {
      return await (await this.#ready()).unlock()
    } catch (error) {
      if (!(error instanceof StoreTrouble)) throw error
      return { outcome: 'refused', reason: error.trouble }
    }
  }

  async lock(): Promise<void> {
    await this.#gate?.lock()
  }

  async write<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    return (await this.#ready()).write(run)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.cancelReads()
    await this.#opening?.catch(() => {})
    await this.#gate?.close()
  }

  async #read(
    lane: 'interactive' | 'background',
    statement: Statement,
    options: ReadOptions = {},
  ): Promise<Row[]> {
    const gate = await this.#ready()
    const stop = new AbortController()
    this.#reads.add(stop)
    try {
      return await gate[lane].query(statement, { ...options, signal: stop.signal })
    } finally {
      this.#reads.delete(stop)
    }
  }

  async #ready(): Promise<PostgresGate> {
    if (this.#gate !== null) return this.#gate
    if (this.#opening === null && this.#failure !== null) {
      const { reason, at } = this.#failure
      if (isLasting(reason) || Date.now() - at < REST_MS) throw reason
    }
    return this.#open()
  }

  #open(): Promise<PostgresGate> {
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = null
      this.#tellState()
    })
    return this.#opening
  }

  async #openNow(): Promise<PostgresGate> {
    const { settings } = this
    try {
      const gate = await openGate({
        settings,
        machine: this.#machine,
        credentials: makeCredentials(settings, {
          ...this.#secrets,
          machine: this.#machine,
          ask: ({ purpose }) => this.#ask(purpose),
        }),
      })
      if (this.#isClosed) await gate.close()
      this.#gate = gate
      this.#failure = null
      gate.onState(() => this.#tellState())
      gate.onWriting((until) => {
        for (const listener of this.#writingListeners) listener(until)
      })
      return gate
    } catch (error) {
      if (error instanceof StoreTrouble) this.#failure = { reason: error, at: Date.now() }
      throw error
    }
  }

  async #replaceSecrets(secrets: Secrets): Promise<void> {
    this.#secrets = {
      password: secrets.password ?? this.#secrets.password,
      keyPassphrase: secrets.keyPassphrase ?? this.#secrets.keyPassphrase,
    }
    const before = this.#gate
    this.#gate = null
    this.#failure = null
    await before?.close()
  }

  /** Nobody is there to be asked: what is missing is noted for whoever connects. */
  async #ask(purpose: 'password' | 'key-passphrase'): Promise<Secret | null> {
    this.#asked = purpose
    return null
  }

  #tellState(): void {
    for (const listener of this.#stateListeners) listener()
  }
}
