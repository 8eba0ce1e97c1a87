import type { ConnectionState } from '../../../model/connection.ts'
import { pause } from '../../polling-stream.ts'
import { StoreTrouble } from '../../trouble.ts'
import { sendCancelRequest } from './cancel-request.ts'
import { backoffMs, type Deadline, makeDeadline, within } from './deadline.ts'
import { type ClientRole, ROLES } from './guard.ts'
import type { LaneHost } from './lane.ts'
import { openClient } from './open-client.ts'
import type { OpenClient } from './opened-client.ts'
import type { Target } from './target.ts'
import { isLasting, makeTrouble, toTrouble } from './trouble.ts'

const CANCEL_MS = 2_000

type State =
  | { readonly status: 'connected'; readonly since: number; readonly client: OpenClient }
  | Exclude<ConnectionState, { status: 'connected' }>

export interface SupervisorOptions {
  readonly connectDeadlineMs: number
  readonly random: () => number
  /** After that long without use the background connection is given back. */
  readonly backgroundIdleMs: number
}

/**
 * Owns the reading connections. The state is that of the interactive one: connected, reconnecting with
 * growing pauses, or disconnected for a reason that trying again does not change.
 */
export class Supervisor implements LaneHost {
  readonly #target: Target
  readonly #options: SupervisorOptions
  readonly #listeners = new Set<(state: ConnectionState) => void>()
  readonly #clients = new Map<ClientRole['name'], OpenClient>()
  readonly #opening = new Map<ClientRole['name'], Promise<OpenClient>>()
  #state: State
  #isClosed = false
  #hurry: () => void = () => {}
  #idle: NodeJS.Timeout | undefined
  #settled: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(target: Target, options: SupervisorOptions) {
    this.#target = target
    this.#options = options
    this.#state = { status: 'disconnected', since: Date.now(), reason: null }
  }

  get state(): ConnectionState {
    if (this.#state.status !== 'connected') return this.#state
    const { since, client } = this.#state
    return { status: 'connected', since, server: client.facts() }
  }

  /** How many are open now. */
  get connections(): number {
    return [...this.#clients.values()].filter((client) => client.lost() === null).length
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Connects for the first time, or again after a lasting trouble. Rejects with StoreTrouble. */
  async connect(): Promise<void> {
    if (this.#isClosed) throw this.#closed()
    if (this.#state.status === 'connected') return
    if (this.#state.status === 'reconnecting') {
      this.#hurry()
      return
    }
    const client = await this.#open(ROLES.interactive).catch((error: unknown) => {
      const reason = toTrouble(this.#target.maker, error)
      this.#enter({ status: 'disconnected', since: Date.now(), reason: reason.trouble })
      throw reason
    })
    this.#connected(client)
  }

  async acquire(role: ClientRole, deadline: Deadline, signal?: AbortSignal): Promise<OpenClient> {
    const cancelled = (): StoreTrouble => makeTrouble(this.#target.maker, 'cancelled')
    if (role.name === 'background') clearTimeout(this.#idle)
    // What an attempt before this one ended with says more than that the time is over.
    let last: StoreTrouble | null = null
    const late = (): StoreTrouble => last ?? this.#late()
    for (let attempt = 0; ; attempt += 1) {
      await this.#untilConnected(deadline, signal)
      const open = this.#clients.get(role.name)
      if (open !== undefined && open.lost() === null) return open
      try {
        const opening = this.#open(role)
        return await within(deadline, opening, late, signal, cancelled)
      } catch (error) {
        const reason = toTrouble(this.#target.maker, error)
        last = reason
        if (signal?.aborted === true || deadline.leftMs() === 0 || isLasting(reason)) throw reason
        if (role.name === 'interactive') this.#startReconnecting(reason)
        else await this.#beforeNext(attempt, reason, deadline, signal)
      }
    }
  }

  released(role: ClientRole): void {
    if (role.name !== 'background' || this.#isClosed) return
    clearTimeout(this.#idle)
    const giveBack = (): void => {
      const client = this.#clients.get('background')
      this.#clients.delete('background')
      void client?.end()
    }
    this.#idle = setTimeout(giveBack, this.#options.backgroundIdleMs).unref()
  }

  async #beforeNext(
    attempt: number,
    reason: StoreTrouble,
    deadline: Deadline,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const over = new AbortController()
    const waited = pause(backoffMs(attempt, this.#options.random), over.signal)
    const cancelled = (): StoreTrouble => makeTrouble(this.#target.maker, 'cancelled')
    await within(deadline, waited, () => reason, signal, cancelled).finally(() => over.abort())
  }

  /** Through the other connection where it is free; else by a request that needs none. */
  async stop(client: OpenClient): Promise<void> {
    const other = client.role.name === 'interactive' ? 'background' : 'interactive'
    const helper = this.#clients.get(other)
    const canAsk = client.guard === 'session' && client.lost() === null && helper?.lost() === null
    const { pid, started } = client.backend
    if (canAsk && this.isFree(other)) {
      const statement = {
        sql: `select pg_cancel_backend(pid) as is_sent from pg_stat_activity
               where pid = $1 and extract(epoch from backend_start)::text = $2`,
        params: [pid, started],
      }
      const asked = helper.send([statement]).then(([rows]) => rows?.[0]?.['is_sent'] === true)
      const isSent = await within(makeDeadline(CANCEL_MS), asked, () => this.#late()).catch(
        () => false,
      )
      if (isSent) return
    }
    await sendCancelRequest(this.#target, client.cancelKey, CANCEL_MS)
  }

  /** Whether nothing is being read on that connection; told by who reads. */
  isFree: (name: ClientRole['name']) => boolean = () => true

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    const clients = [...this.#clients.values()]
    this.#clients.clear()
    this.#hurry()
    this.#enter({ status: 'disconnected', since: Date.now(), reason: null })
    const opening = [...this.#opening.values()].map((one) => one.catch(() => {}))
    await Promise.all([...clients.map((client) => client.end()), ...opening])
  }

  #open(role: ClientRole): Promise<OpenClient> {
    const running = this.#opening.get(role.name)
    if (running !== undefined) return running
    const started = this.#openNow(role).finally(() => this.#opening.delete(role.name))
    this.#opening.set(role.name, started)
    // Those who wait for it may have given up.
    started.catch(() => {})
    return started
  }

  async #openNow(role: ClientRole): Promise<OpenClient> {
    const client = await openClient(this.#target, role, this.#options.connectDeadlineMs)
    if (this.#isClosed) {
      await client.end()
      throw this.#closed()
    }
    this.#clients.set(role.name, client)
    client.onLost((reason) => {
      if (this.#clients.get(role.name) !== client) return
      this.#clients.delete(role.name)
      if (role.name === 'interactive') this.#startReconnecting(reason)
    })
    return client
  }

  #startReconnecting(reason: StoreTrouble): void {
    if (this.#isClosed || this.#state.status !== 'connected') return
    // What cut the one off has most likely cut off the other; its reads are repeated.
    for (const client of this.#clients.values()) client.destroy(reason)
    void this.#reconnect(reason)
  }

  async #reconnect(first: StoreTrouble): Promise<void> {
    const since = Date.now()
    let reason = first.trouble
    for (let attempt = 0; !this.#isClosed; attempt += 1) {
      const pauseMs = backoffMs(attempt, this.#options.random)
      const state = { status: 'reconnecting', since, attempt, reason } as const
      this.#enter({ ...state, nextAttemptAt: Date.now() + pauseMs })
      const hurry = new AbortController()
      this.#hurry = () => hurry.abort()
      await pause(pauseMs, hurry.signal)
      if (this.#isClosed) return
      this.#enter({ ...state, attempt: attempt + 1, nextAttemptAt: null })
      try {
        this.#connected(await this.#open(ROLES.interactive))
        return
      } catch (error) {
        const trouble = toTrouble(this.#target.maker, error)
        reason = trouble.trouble
        if (!isLasting(trouble)) continue
        if (!this.#isClosed) this.#enter({ status: 'disconnected', since: Date.now(), reason })
        return
      }
    }
  }

  #connected(client: OpenClient): void {
    if (this.#isClosed) return
    this.#enter({ status: 'connected', since: Date.now(), client })
    client.onFacts(() => {
      if (this.#state.status === 'connected' && this.#state.client === client) this.#tell()
    })
    // It may have been lost in the meantime.
    const lost = client.lost()
    if (lost !== null) this.#startReconnecting(lost)
  }

  async #untilConnected(deadline: Deadline, signal: AbortSignal | undefined): Promise<void> {
    const cancelled = (): StoreTrouble => makeTrouble(this.#target.maker, 'cancelled')
    while (this.#state.status !== 'connected') {
      if (this.#isClosed) throw this.#closed()
      const { status, reason } = this.#state
      const trouble = reason === null ? this.#closed() : new StoreTrouble(reason)
      if (status === 'disconnected') throw trouble
      await within(deadline, this.#settled.promise, () => this.#why(), signal, cancelled)
    }
  }

  #enter(state: State): void {
    this.#state = state
    if (state.status !== 'reconnecting') {
      this.#settled.resolve()
      this.#settled = Promise.withResolvers()
    }
    this.#tell()
  }

  #tell(): void {
    const shown = this.state
    for (const listener of this.#listeners) listener(shown)
  }

  /** Why there is no connection at the end of the deadline. */
  #why(): StoreTrouble {
    const reason = this.#state.status === 'connected' ? null : this.#state.reason
    return reason === null ? this.#late() : new StoreTrouble(reason)
  }

  #late(): StoreTrouble {
    return makeTrouble(this.#target.maker, 'timeout', 'deadline')
  }

  #closed(): StoreTrouble {
    return makeTrouble(this.#target.maker, 'connection-lost', 'closed')
  }
}
