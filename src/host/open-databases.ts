import { RPCHandler } from '@orpc/server/node'

import type { Connections } from '../inspector/connections.ts'
import { openInspector } from '../inspector/open-inspector.ts'
import { logDefects } from '../shell/log-defects.ts'
import type { SampleLauncher } from '../shell/sample-launcher.ts'

type Handler = RPCHandler<object>

interface Open {
  readonly handler: Handler
  readonly close: () => void | Promise<void>
  readonly isSample: boolean
  users: number
  idle: NodeJS.Timeout | undefined
}

/** The databases that tabs look at. One inspector each, opened when asked for, closed when nobody asked for a while. */
export interface OpenDatabases {
  /** Runs one call on a database. Undefined: no such database. */
  use<T>(databaseId: string, run: (handler: Handler) => Promise<T>): Promise<T> | undefined
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
    const { dataFolder } = connections
    const inspector = openInspector({ path: database.path, dataFolder })
    const opened: Open = {
      handler: new RPCHandler(inspector.router, { interceptors: [logDefects] }),
      close: () => inspector.close(),
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
    open.delete(databaseId)
    if (opened.isSample) sample.release()
    await opened.close()
  }
  return {
    use(databaseId, run) {
      const opened = find(databaseId)
      if (opened === undefined) return undefined
      clearTimeout(opened.idle)
      opened.users += 1
      return run(opened.handler).finally(() => {
        opened.users -= 1
        if (opened.users > 0) return
        opened.idle = setTimeout(() => void close(databaseId, opened), idleMs).unref()
      })
    },
    async close() {
      await Promise.all([...open].map(([databaseId, opened]) => close(databaseId, opened)))
    },
  }
}
