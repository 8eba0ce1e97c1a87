import { RPCHandler } from '@orpc/server/node'

import type { OpenedDatabase } from '../contract/index.ts'
import type { Connections } from '../inspector/connections.ts'
import type { Inspector } from '../inspector/assemble-inspector.ts'
import { openInspector } from '../inspector/open-inspector.ts'
import {
  openServerInspector,
  type ServerInspector,
} from '../inspector/servers/open-server-inspector.ts'
import type { ConnectFailure, Secrets } from '../inspector/servers/secrets.ts'
import { logDefects } from '../shell/log-defects.ts'
import { openFileBackground } from './file-background.ts'
import type { FileBackground } from './file-background.ts'
import type { SampleLauncher } from '../shell/sample-launcher.ts'

type Handler = RPCHandler<object>

/** Which of a database's routers a call is for, as its path says. */
export type CallKind = 'db' | 'bg'

interface Open {
  readonly handlers: Readonly<Record<CallKind, Handler>>
  readonly close: () => Promise<void>
  /** Servers only. */
  readonly connect?: (secrets: Secrets | null) => Promise<ConnectFailure | null>
  readonly isSample: boolean
  users: number
  idle: NodeJS.Timeout | undefined
}

/** The databases that tabs look at. One inspector each, opened when asked for, closed when nobody asked for a while. */
export interface OpenDatabases {
  /** Runs one call on a database. Undefined: no such database. */
  use<T>(
    databaseId: string,
    kind: CallKind,
    run: (handler: Handler) => Promise<T>,
  ): Promise<T> | undefined
  /** Connects to a server. null: it is connected. */
  connect(databaseId: string, secrets: Secrets | null): Promise<ConnectFailure | null>
  /** Closes one, if it is open. */
  disconnect(databaseId: string): Promise<void>
  close(): Promise<void>
}

interface Options {
  readonly connections: Connections
  readonly sample: SampleLauncher
  /** How long one stays open after its last call ended. */
  readonly idleMs: number
}

export function makeOpenDatabases({ connections, sample, idleMs }: Options): OpenDatabases {
  const open = new Map<string, Open>()

  const find = (databaseId: string): Open | undefined => {
    const known = open.get(databaseId)
    if (known !== undefined) return known
    const database = connections.find(databaseId)
    if (database === undefined) return undefined
    const background = database.kind === 'file' ? openFileBackground(database.path) : undefined
    const inspector = start(connections, database, background)
    const opened: Open = {
      handlers: {
        db: new RPCHandler(inspector.router, { interceptors: [logDefects] }),
        bg: new RPCHandler(background?.router ?? inspector.backgroundRouter, {
          interceptors: [logDefects],
        }),
      },
      close: async () => {
        await inspector.close()
        await background?.close()
      },
      ...('connect' in inspector ? { connect: (secrets) => inspector.connect(secrets) } : {}),
      isSample: database.isSample,
      users: 0,
      idle: undefined,
    }
    if (opened.isSample) sample.acquire()
    open.set(databaseId, opened)
    return opened
  }
  const close = async (databaseId: string, opened: Open): Promise<void> => {
    clearTimeout(opened.idle)
    if (open.get(databaseId) === opened) open.delete(databaseId)
    if (opened.isSample) sample.release()
    await opened.close()
  }
  const closeWhenIdle = (databaseId: string, opened: Open): void => {
    if (opened.users > 0 || open.get(databaseId) !== opened) return
    opened.idle = setTimeout(() => void close(databaseId, opened), idleMs).unref()
  }
  return {
    use(databaseId, kind, run) {
      const opened = find(databaseId)
      if (opened === undefined) return undefined
      clearTimeout(opened.idle)
      opened.users += 1
      return run(opened.handlers[kind]).finally(() => {
        opened.users -= 1
        closeWhenIdle(databaseId, opened)
      })
    },
    async connect(databaseId, secrets) {
      const opened = find(databaseId)
      if (opened?.connect === undefined) throw new Error('not a server of the list')
      clearTimeout(opened.idle)
      opened.users += 1
      try {
        return await opened.connect(secrets)
      } finally {
        opened.users -= 1
        closeWhenIdle(databaseId, opened)
      }
    },
    async disconnect(databaseId) {
      const opened = open.get(databaseId)
      if (opened !== undefined) await close(databaseId, opened)
    },
    async close() {
      await Promise.all([...open].map(([databaseId, opened]) => close(databaseId, opened)))
    },
  }
}

function start(
  connections: Connections,
  database: OpenedDatabase,
  background: FileBackground | undefined,
): Inspector | ServerInspector {
  const { dataFolder, servers } = connections
  if (database.kind === 'file') {
    const remote = background?.scans
    return openInspector({
      path: database.path,
      dataFolder,
      ...(remote === undefined ? {} : { remote }),
    })
  }
  const server = servers.find(database.databaseId)
  if (server === undefined) throw new Error('not a server of the list')
  return openServerInspector({ ...server, dataFolder })
}
