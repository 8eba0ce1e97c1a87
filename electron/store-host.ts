import { utilityProcess } from 'electron'
import type { MessagePortMain, UtilityProcess } from 'electron'

import type { OpenedDatabase } from '../src/contract/index.ts'
import type { SampleLauncher } from '../src/shell/sample-launcher.ts'
import { isPortClosed } from './store-messages.ts'
import type { ToStoreProcess } from './store-messages.ts'

/**
 * One utility process for each database that a window looks at, shared by all windows. A process that crashes
 * closes its ports; whoever held one asks again and gets a new process.
 */
export interface StoreHost {
  /** Hands a port to the process of a database. */
  connect(database: OpenedDatabase, port: MessagePortMain): void
  /** Starts the process while the window that will ask for it is still loading. */
  warm(database: OpenedDatabase): void
  /** Ends all of them. Resolves when they are gone. */
  close(): Promise<void>
}

interface Running {
  readonly process: UtilityProcess
  readonly gone: Promise<void>
  /** Ports handed over and not closed again. */
  ports: number
  idle: NodeJS.Timeout | undefined
}

interface StoreHostOptions {
  /** The built store process. */
  readonly entry: string
  readonly dataFolder: string
  readonly sample: SampleLauncher
  /** How long a process nobody uses stays, so that a reload finds it warm. */
  readonly idleMs?: number
  /** How long it may take to end by itself. */
  readonly closeMs?: number
}

export function makeStoreHost(options: StoreHostOptions): StoreHost {
  const { idleMs = 5_000, closeMs = 1_500 } = options
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
    const process = utilityProcess.fork(options.entry, [database.path, options.dataFolder], {
      serviceName: 'A2 Inspector store',
      stdio: 'inherit',
    })
    if (database.isSample) options.sample.acquire()
    const gone = new Promise<void>((resolve) => void process.once('exit', () => resolve()))
    const store: Running = { process, gone, ports: 0, idle: undefined }
    process.on('message', (message: unknown) => {
      if (!isPortClosed(message)) return
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
    connect(database, port) {
      const store = find(database)
      clearTimeout(store.idle)
      store.ports += 1
      send(store.process, { kind: 'port' }, [port])
    },
    warm: (database) => endWhenIdle(database.databaseId, find(database)),
    async close() {
      await Promise.all([...running].map(([databaseId, store]) => end(databaseId, store)))
    },
  }
}

function send(process: UtilityProcess, message: ToStoreProcess, ports?: MessagePortMain[]): void {
  process.postMessage(message, ports)
}
