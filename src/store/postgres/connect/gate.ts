import type {
  ConnectionLimits,
  ConnectionSettings,
  ConnectionState,
  UnlockOutcome,
} from '../../../model/connection.ts'
import type { Connection } from '../connection.ts'
import { ROLES } from './guard.ts'
import { Lane, type Reader } from './lane.ts'
import { CONNECT_DEADLINE_MS } from './open-client.ts'
import { Supervisor } from './supervisor.ts'
import { makeTarget, type TargetOptions } from './target.ts'
import { Writer, type WriteOptions } from './writer.ts'

const UNLOCK_MINUTES = 10
const BACKGROUND_IDLE_MS = 60_000

/** What a gate has of its server at this moment. */
export interface ConnectionUsage {
  /** Open ones, the writing one included. */
  readonly connections: number
  /** Connected, and no read for a screen is under way. */
  readonly isIdle: boolean
}

/**
 * All there is between the inspector and one server: at most three connections, two of which cannot
 * write and one that exists only while writing is unlocked. Every call ends by its deadline.
 */
export interface PostgresGate {
  readonly settings: ConnectionSettings
  /** For titles and troubles: who, where, which database; no secrets. */
  readonly path: string
  /** What the server was told to enforce, to be shown. */
  readonly limits: Readonly<Record<'interactive' | 'background' | 'writer', ConnectionLimits>>
  /** For what a person waits for. */
  readonly interactive: Reader
  /** For counting and searching; its connection opens when it is used, and closes when it is not. */
  readonly background: Reader
  state(): ConnectionState
  usage(): ConnectionUsage
  /** Told at once of each change; the answer ends it. */
  onState(listener: (state: ConnectionState) => void): () => void
  /** Now instead of after the pause; after a lasting trouble, again. Rejects with StoreTrouble. */
  reconnect(): Promise<void>
  /** Epoch ms; null: locked. */
  unlockedUntil(): number | null
  /** Told of unlocking and of locking, whoever did it. */
  onWriting(listener: (unlockedUntil: number | null) => void): () => void
  /** A role without the right, or a standby, is an outcome, not an error. */
  unlock(minutes?: number): Promise<UnlockOutcome>
  /** Closes the writing connection once the write under way has ended. */
  lock(): Promise<void>
  /**
   * Runs on the writing connection, alone and once. Rejects with StoreTrouble, `isOutcomeUnknown` when
   * the connection ended after the commit was sent; with `writing-locked` when nobody unlocked it.
   * Errors of the store's own rules come as they are.
   */
  write<T>(run: (connection: Connection) => Promise<T>, options?: WriteOptions): Promise<T>
  close(): Promise<void>
}

export interface GateOptions extends TargetOptions {
  /** For all of one attempt to connect: name, ssh, TLS, login. */
  readonly connectDeadlineMs?: number
  /** For the pauses between attempts; from 0 to 1. */
  readonly random?: () => number
  /** After that long without use the background connection is closed. Default: a minute. */
  readonly backgroundIdleMs?: number
}

/** Connects, and keeps connected from then on. Rejects with StoreTrouble when the first attempt fails; nothing is left open then. */
export async function openGate(options: GateOptions): Promise<PostgresGate> {
  const { connectDeadlineMs = CONNECT_DEADLINE_MS, random = Math.random } = options
  const { backgroundIdleMs = BACKGROUND_IDLE_MS } = options
  const target = makeTarget(options)
  const supervisor = new Supervisor(target, { connectDeadlineMs, random, backgroundIdleMs })
  const interactive = new Lane(ROLES.interactive, target, supervisor)
  const background = new Lane(ROLES.background, target, supervisor)
  supervisor.isFree = (name) => !(name === 'interactive' ? interactive : background).isBusy
  const listeners = new Set<(until: number | null) => void>()
  const writer = new Writer(target, connectDeadlineMs, (until) => {
    for (const listener of listeners) listener(until)
  })
  supervisor.onState((state) => {
    // After a failover: what was unlocked was another server.
    if (state.status === 'connected' && state.server.isStandby) void writer.lock()
  })
  await supervisor.connect()
  return {
    settings: options.settings,
    path: target.maker.path,
    limits: {
      interactive: ROLES.interactive.limits,
      background: ROLES.background.limits,
      writer: ROLES.writer.limits,
    },
    interactive,
    background,
    state: () => supervisor.state,
    usage: () => ({
      connections: supervisor.connections + writer.connections,
      isIdle: supervisor.state.status === 'connected' && !interactive.isBusy,
    }),
    onState: (listener) => supervisor.onState(listener),
    reconnect: () => supervisor.connect(),
    unlockedUntil: () => writer.unlockedUntil,
    onWriting(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    unlock: (minutes = UNLOCK_MINUTES) => writer.unlock(minutes),
    lock: () => writer.lock(),
    write: (run, writeOptions) => writer.write(run, writeOptions),
    async close() {
      await Promise.all([supervisor.close(), writer.lock()])
    },
  }
}
