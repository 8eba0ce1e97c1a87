import { StoreTrouble } from '../../store/trouble.ts'
import type { Pace } from '../pace.ts'
import type { Reader } from '../reader.ts'
import { isScanRequest } from './messages.ts'
import type { ScanAnswer, ScanPort, ScanRequest, ScanWire } from './messages.ts'
import { packChanges, packRows, packSessions, toCursor, unpackRows } from './packing.ts'
import { isUrgent } from './scan-reader.ts'
import type { ScanCall } from './scan-reader.ts'

type Handlers = {
  readonly [Call in ScanCall]: (
    args: ScanWire[Call]['args'],
    signal: AbortSignal,
  ) => Promise<ScanWire[Call]['value']>
}

interface ScanServerOptions {
  readonly reader: Reader
  /** Shared by all who run slices in this process. */
  readonly pace: Pace
  readonly onDefect: (error: unknown) => void
}

/** Answers the questions of a `RemoteScans` at the other end of each port. */
export function makeScanServer(options: ScanServerOptions): { serve(port: ScanPort): void } {
  const handlers = makeHandlers(options.reader)
  const noteWrites = watchWrites(options)
  return {
    serve(port) {
      const running = new Map<number, AbortController>()
      port.onMessage((message) => {
        if (!isScanRequest(message)) return
        if (message.kind === 'footprint') {
          const footprint = options.reader.footprint()
          if (footprint.dialect === 'sqlite') port.send({ kind: 'footprint', id: 0, footprint })
          return
        }
        if (message.kind === 'cancel') {
          running.get(message.id)?.abort()
          return
        }
        noteWrites()
        const controller = new AbortController()
        running.set(message.id, controller)
        const reply = async (): Promise<void> => {
          const sent = await answer(options, handlers, message, controller.signal)
          running.delete(message.id)
          port.send(sent)
        }
        void reply()
      })
      port.onClose(() => {
        for (const controller of running.values()) controller.abort()
      })
    },
  }
}

/** Nobody watches the file in this process: what others wrote is noticed by whoever asks. */
function watchWrites({ reader, pace }: ScanServerOptions): () => void {
  let last = reader.stamp()
  return () => {
    const stamp = reader.stamp()
    if (stamp !== last) pace.noteChange()
    last = stamp
  }
}

/** Never rejects. */
async function answer(
  { reader, pace, onDefect }: ScanServerOptions,
  handlers: Handlers,
  request: ScanRequest & { kind: 'call' },
  signal: AbortSignal,
): Promise<ScanAnswer> {
  const { id, call } = request
  let tookMs = 0
  const run = async (): Promise<unknown> => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    try {
      return await handle(handlers, request, signal)
    } finally {
      tookMs = performance.now() - startedAt
    }
  }
  const shared = () => ({ id, epoch: reader.epoch.schema, tookMs })
  try {
    const value = await (isUrgent(call) ? run() : pace.slice(run))
    return { ...shared(), kind: 'value', call, value }
  } catch (error) {
    if (signal.aborted) return { ...shared(), kind: 'cancelled' }
    if (error instanceof StoreTrouble) {
      return { ...shared(), kind: 'trouble', trouble: error.trouble }
    }
    onDefect(error)
    return { ...shared(), kind: 'defect' }
  }
}

function handle<Call extends ScanCall>(
  handlers: Handlers,
  { call, args }: { call: Call; args: ScanWire[Call]['args'] },
  signal: AbortSignal,
): Promise<ScanWire[Call]['value']> {
  return handlers[call](args, signal)
}

function makeHandlers(reader: Reader): Handlers {
  return {
    capabilities: () => reader.capabilities(),
    tip: () => reader.tip(),
    sessionPage: async ([after, limit]) => {
      const { sessions, next } = await reader.sessionPage(toCursor(after), limit)
      return { sessions: packSessions(sessions), next }
    },
    listed: async ([ids]) => packSessions(await reader.listed(ids)),
    predecessors: ([ids]) => reader.predecessors(ids),
    touchedSessions: ([afterRowid, limit]) => reader.touchedSessions(afterRowid, limit),
    unfinishedRange: async ([range]) => packRows(await reader.unfinishedRange(range)),
    unfinishedAgain: async ([packed]) => {
      const known = unpackRows(packed)
      return packChanges(known, await reader.unfinishedAgain(known))
    },
    unfinishedStep: async ([after, limit]) => {
      const { rows, next } = await reader.unfinishedStep(after, limit)
      return { rows: packRows(rows), next }
    },
    clearIndexes: ([ids]) => reader.clearIndexes(ids),
    gone: ([wanted]) => reader.gone(wanted),
    markers: ([wanted]) => reader.markers(wanted),
    sessionUnfinished: async ([wanted, limit]) => {
      const { rows, next } = await reader.sessionUnfinished(wanted, limit)
      return { rows: packRows(rows), next }
    },
    locate: ([eventId], signal) => reader.locate(eventId, signal),
  }
}
