import { StoreTrouble } from '../../store/trouble.ts'
import { isFootprintSaid, isScanAnswer, isValueOf } from './messages.ts'
import type { ScanAnswer, ScanPort, ScanWire, SentCall } from './messages.ts'
import { applyChanges, packRows, toCursor, unpackRows, unpackSessions } from './packing.ts'
import { RemoteFootprint, type ScanFootprint } from './remote-footprint.ts'
import type { ScanCall, ScanReader } from './scan-reader.ts'

/** How long a cancelled call may go on without a word before whoever runs it is taken for stuck. */
const CANCEL_MS = 250
/** How often a call is sent before it is blamed for the end of the process. */
const MAX_ATTEMPTS = 2
/** How long a call waits for a process that can take it. */
const PROCESS_MS = 15_000

export interface RemoteScansOptions {
  /** Of the database, for troubles. */
  readonly path: string
  /** Somebody asks and there is no process to answer: start one. */
  readonly onWanted: () => void
  /** A cancelled call was not answered: the process is to be ended. */
  readonly onStuck: () => void
}

interface Pending {
  readonly request: SentCall
  readonly settle: (answer: ScanAnswer) => void
  readonly fail: (error: unknown) => void
  attempts: number
  late: NodeJS.Timeout | undefined
}

/** Asks another process. What was asked of one that ended is asked of the next; callers notice nothing but the time. */
export class RemoteScans {
  readonly #options: RemoteScansOptions
  readonly #pending = new Map<number, Pending>()
  readonly #footprint = new RemoteFootprint()
  #port: ScanPort | null = null
  #nextId = 1
  #epoch = 0
  /** Of the process that answers now; null before its first answer. */
  #remoteEpoch: number | null = null
  #isClosed = false

  constructor(options: RemoteScansOptions) {
    this.#options = options
  }

  get epoch(): number {
    return this.#epoch
  }

  get isConnected(): boolean {
    return this.#port !== null
  }

  /** What the other process takes of the database, by its last word; it is asked anew for the next time. null: not known. */
  footprint(): ScanFootprint | null {
    const port = this.#port
    return this.#footprint.read(port && (() => port.send({ kind: 'footprint', id: 0 })))
  }

  /** From now on this port leads to the process, until it is closed. */
  attach(port: ScanPort): void {
    if (this.#isClosed) return port.close()
    const before = this.#port
    this.#port = port
    this.#footprint.lose()
    before?.close()
    this.#remoteEpoch = null
    port.onMessage((message) => {
      if (this.#port !== port) return
      if (isScanAnswer(message)) this.#hear(message)
      else if (isFootprintSaid(message)) this.#footprint.hear(message.footprint)
    })
    port.onClose(() => {
      if (this.#port === port) this.#lose()
    })
    for (const pending of this.#pending.values()) this.#send(pending)
  }

  /** Every call ends. */
  close(): void {
    this.#isClosed = true
    this.#port?.close()
    this.#port = null
    for (const pending of this.#pending.values()) this.#end(pending)
  }

  /** One call. Rejects with StoreTrouble, or with the signal's reason as soon as it is aborted. */
  ask<Call extends ScanCall>(
    call: Call,
    args: ScanWire[Call]['args'],
    { signal, onTook }: { signal?: AbortSignal; onTook?: (ms: number) => void } = {},
  ): Promise<ScanWire[Call]['value']> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(toError(signal.reason))
      const id = this.#nextId
      this.#nextId += 1
      const settle = (answer: ScanAnswer): void => {
        onTook?.(answer.tookMs)
        if (isValueOf(call, answer)) resolve(answer.value)
        else reject(this.#toFailure(answer))
      }
      const request: SentCall = { kind: 'call', id, call, args }
      const pending: Pending = { request, settle, fail: reject, attempts: 0, late: undefined }
      signal?.addEventListener('abort', () => {
        reject(toError(signal.reason))
        this.#cancel(pending)
      })
      this.#pending.set(id, pending)
      if (this.#isClosed) this.#end(pending)
      else if (this.#port === null) this.#await(pending)
      else this.#send(pending)
    })
  }

  #send(pending: Pending): void {
    clearTimeout(pending.late)
    pending.attempts += 1
    this.#port?.send(pending.request)
  }

  #await(pending: Pending): void {
    pending.late = setTimeout(() => this.#end(pending), PROCESS_MS)
    pending.late.unref()
    this.#options.onWanted()
  }

  #hear(answer: ScanAnswer): void {
    if (this.#remoteEpoch !== null && this.#remoteEpoch !== answer.epoch) this.#epoch += 1
    this.#remoteEpoch = answer.epoch
    const pending = this.#pending.get(answer.id)
    if (pending === undefined) return
    this.#forget(pending)
    pending.settle(answer)
  }

  #lose(): void {
    this.#port = null
    this.#footprint.lose()
    for (const pending of this.#pending.values()) {
      if (pending.attempts >= MAX_ATTEMPTS) this.#end(pending)
      else this.#await(pending)
    }
  }

  /** Its caller has gone. */
  #cancel(pending: Pending): void {
    const { id } = pending.request
    if (this.#pending.get(id) !== pending) return
    if (this.#port === null) return this.#forget(pending)
    this.#port.send({ kind: 'cancel', id })
    pending.attempts = MAX_ATTEMPTS
    pending.late = setTimeout(() => {
      this.#forget(pending)
      this.#options.onStuck()
    }, CANCEL_MS)
  }

  #end(pending: Pending): void {
    this.#forget(pending)
    pending.fail(this.#ended())
  }

  #forget(pending: Pending): void {
    clearTimeout(pending.late)
    this.#pending.delete(pending.request.id)
  }

  #toFailure(answer: ScanAnswer): Error {
    if (answer.kind === 'trouble') return new StoreTrouble(answer.trouble)
    return new StoreTrouble({ kind: 'unexpected', path: this.#options.path, code: null })
  }

  #ended(): StoreTrouble {
    const { path } = this.#options
    return new StoreTrouble({ kind: 'process-ended', path, code: null })
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** The questions as the one who asks knows them. One for each who measures. */
export function openRemoteScans(remote: RemoteScans): ScanReader {
  let spentMs = 0
  const onTook = (ms: number): void => {
    spentMs += ms
  }
  const ask = <Call extends ScanCall>(call: Call, ...args: ScanWire[Call]['args']) =>
    remote.ask(call, args, { onTook })
  return {
    isElsewhere: true,
    get epoch() {
      return remote.epoch
    },
    get spentMs() {
      return spentMs
    },
    // The other process rests before it begins the next slice.
    rest: async () => {},
    capabilities: () => ask('capabilities'),
    tip: () => ask('tip'),
    sessionPage: async (after, limit) => {
      const { sessions, next } = await ask('sessionPage', after, limit)
      return { sessions: unpackSessions(sessions), next: toCursor(next) }
    },
    listed: async (ids) => (ids.length === 0 ? [] : unpackSessions(await ask('listed', ids))),
    predecessors: async (ids) => [...(await ask('predecessors', ids))],
    touchedSessions: (afterRowid, limit) => ask('touchedSessions', afterRowid, limit),
    unfinishedRange: async (range) => unpackRows(await ask('unfinishedRange', range)),
    unfinishedAgain: async (rows) => {
      if (rows.length === 0) return []
      // By their rowids, where they have some.
      const withNames = rows.some(({ rowid }) => rowid === null)
      return applyChanges(rows, await ask('unfinishedAgain', packRows(rows, { withNames })))
    },
    unfinishedStep: async (after, limit) => {
      const { rows, next } = await ask('unfinishedStep', after, limit)
      return { rows: unpackRows(rows), next }
    },
    clearIndexes: async (ids) => (ids.length === 0 ? new Map() : ask('clearIndexes', ids)),
    gone: (wanted) => ask('gone', wanted),
    markers: (wanted) => ask('markers', wanted),
    sessionUnfinished: async (wanted, limit) => {
      const { rows, next } = await ask('sessionUnfinished', wanted, limit)
      return { rows: unpackRows(rows), next }
    },
    locate: (eventId, signal) =>
      remote.ask('locate', [eventId], signal === undefined ? {} : { signal }),
  }
}
