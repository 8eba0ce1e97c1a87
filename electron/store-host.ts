import { utilityProcess } from 'electron'
import type { MessagePortMain, UtilityProcess } from 'electron'

import type { OpenedDatabase } from '../src/contract/index.ts'
import type { ConnectFailure, Secrets, ServerIdentity } from '../src/inspector/servers/secrets.ts'
import type { SampleLauncher } from '../src/shell/sample-launcher.ts'
import { bare, isFromStoreProcess } from './store-messages.ts'
import type { StoreRole, ToStoreProcess } from './store-messages.ts'

/**
 * One utility process for each database that a window looks at, shared by all windows. A process that crashes
 * closes its ports; whoever held one asks again and gets a new process.
 */
export interface StoreHost {
  /** Hands a port to the process of a database. */
  connect(database: OpenedDatabase, role: StoreRole, port: MessagePortMain): void
  /** Starts the process while the window that will ask for it is still loading. */
  warm(database: OpenedDatabase): void
  /** Connects the process of a server to it, with these secrets if there are some. null: it is connected. */
  connectServer(database: OpenedDatabase, secrets: Secrets | null): Promise<ConnectFailure | null>
  /** Ends the process of a database, if there is one. Windows that look at it ask for another. */
  disconnect(databaseId: string): Promise<void>
  /** Ends all of them. Resolves when they are gone. */
  close(): Promise<void>
}

interface Running {
  readonly process: UtilityProcess
  readonly gone: Promise<void>
  /** Ports handed over and not closed again. */
  ports: number
  idle: NodeJS.Timeout | undefined
  /** Of a server: once it was told which. Rejects when that is not known any more. */
  readonly told: Promise<void> | null
  readonly calls: Map<number, (failure: ConnectFailure | null) => void>
}

interface StoreHostOptions {
  /** The built store process. */
  readonly entry: string
  readonly dataFolder: string
  readonly sample: SampleLauncher
  /** Who a server is, and what the vault has for it. */
  readonly recall: (
    databaseId: string,
  ) => Promise<{ readonly identity: ServerIdentity; readonly secrets: Secrets } | undefined>
  /** How long a process nobody uses stays, so that a reload finds it warm. */
  readonly idleMs?: number
  /** How long it may take to end by itself. */
  readonly closeMs?: number
}

export function makeStoreHost(options: StoreHostOptions): StoreHost {
  const { idleMs = 5_000, closeMs = 1_500 } = options
  let calls = 0
  // The key is the database alone for now; a second process for counting and search would add its role to it.
  const running = new Map<string, Running>()

  const end = async (databaseId: string, store: Running): Promise<void> => {
    clearTimeout(store.idle)
    if (running.get(databaseId) === store) running.delete(databaseId)
    send(store.process, { kind: 'close' })
    const late = setTimeout(() => store.process.kill(), closeMs)
    await store.gone
    clearTimeout(late)
  }
  const endWhenIdle = (databaseId: string, store: Running): void => {
    clearTimeout(store.idle)
    if (store.ports === 0) store.idle = setTimeout(() => void end(databaseId, store), idleMs)
  }
  const start = (database: OpenedDatabase): Running => {
    const { databaseId } = database
    const process = utilityProcess.fork(options.entry, toArguments(database, options.dataFolder), {
      serviceName: 'A2 Inspector store',
      stdio: 'inherit',
    })
    if (database.isSample) options.sample.acquire()
    const gone = new Promise<void>((resolve) => void process.once('exit', () => resolve()))
    const told = database.kind === 'file' ? null : tellServer(process, options.recall(databaseId))
    // Whoever waits for it hears of it.
    told?.catch(() => undefined)
    const store: Running = { process, gone, ports: 0, idle: undefined, told, calls: new Map() }
    process.on('message', (message: unknown) => {
      if (!isFromStoreProcess(message)) return
      if (message.kind === 'connected') {
        store.calls.get(message.call)?.(message.failure)
        store.calls.delete(message.call)
        return
      }
      store.ports -= 1
      endWhenIdle(databaseId, store)
    })
    process.once('exit', () => {
      clearTimeout(store.idle)
      if (running.get(databaseId) === store) running.delete(databaseId)
      if (database.isSample) options.sample.release()
    })
    running.set(databaseId, store)
    return store
  }
  const find = (database: OpenedDatabase): Running =>
    running.get(database.databaseId) ?? start(database)

  return {
    connect(database, role, port) {
      const store = find(database)
      clearTimeout(store.idle)
      store.ports += 1
      if (store.told === null) return send(store.process, { kind: 'port', role }, [port])
      store.told.then(
        () => send(store.process, { kind: 'port', role }, [port]),
        () => port.close(),
      )
    },
    warm: (database) => endWhenIdle(database.databaseId, find(database)),
    async connectServer(database, secrets) {
      const store = find(database)
      clearTimeout(store.idle)
      store.ports += 1
      try {
        await store.told
        calls += 1
        const call = calls
        const answered = new Promise<ConnectFailure | null>((resolve) => {
          store.calls.set(call, resolve)
        })
        send(store.process, { kind: 'connect', call, secrets: secrets && bare(secrets) })
        return await Promise.race([answered, store.gone.then(() => ended(database))])
      } finally {
        store.ports -= 1
        endWhenIdle(database.databaseId, store)
      }
    },
    async disconnect(databaseId) {
      const store = running.get(databaseId)
      if (store !== undefined) await end(databaseId, store)
    },
    async close() {
      await Promise.all([...running].map(([databaseId, store]) => end(databaseId, store)))
    },
  }
}

/** Secrets go by message: arguments can be read by everybody. */
function toArguments(database: OpenedDatabase, dataFolder: string): string[] {
  return database.kind === 'file' ? [dataFolder, database.path] : [dataFolder]
}

async function tellServer(
  process: UtilityProcess,
  recalled: ReturnType<StoreHostOptions['recall']>,
): Promise<void> {
  const server = await recalled
  if (server === undefined) throw new Error('not a server of the list')
  const { identity, secrets } = server
  send(process, { kind: 'server', identity, secrets: bare(secrets) })
}

function ended({ path }: OpenedDatabase): ConnectFailure {
  return { trouble: { kind: 'unexpected', path, code: 'process-ended' }, needed: null }
}

function send(process: UtilityProcess, message: ToStoreProcess, ports?: MessagePortMain[]): void {
  process.postMessage(message, ports)
}
