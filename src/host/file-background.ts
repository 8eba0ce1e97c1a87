import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { implement } from '@orpc/server'

import { backgroundContract } from '../contract/index.ts'
import type { BackgroundClient } from '../contract/index.ts'
import { makeLostCall, watchCall, watchStream } from '../contract/lost-call.ts'
import { RemoteScans } from '../inspector/scans/remote-scans.ts'
import { keepProcess } from '../shell/kept-process.ts'
import { forkBackground } from './fork-background.ts'
import type { BackgroundChild } from './fork-background.ts'
import { openForkPort } from './fork-ports.ts'
import { toScanPort } from './fork-scans.ts'

/** By then the first screen is there: the process is started, so that the first search need not wait for it. */
const SETTLED_MS = 1_000
/** How long a call waits for a process that can take it. */
const START_MS = 15_000

/** The process beside this one that runs what takes long in one file. */
export interface FileBackground {
  readonly scans: RemoteScans
  /** Implements `backgroundContract` by asking that process. */
  readonly router: ReturnType<typeof makePassingRouter>
  close(): Promise<void>
}

export function openFileBackground(path: string): FileBackground {
  const process = keepProcess({
    fork: () => forkBackground(path),
    onReady(child) {
      scans.attach(toScanPort(child.channel))
      clients.use(child)
    },
    onGone: (child) => clients.drop(child),
  })
  const clients = makeClients(path, () => process.start())
  const scans = new RemoteScans({
    path,
    onWanted: () => process.start(),
    onStuck: () => process.replace(),
  })
  const settled = setTimeout(() => process.start(), SETTLED_MS).unref()
  return {
    scans,
    router: makePassingRouter({
      path,
      connect: () => clients.get(),
      onStop: () => process.check(),
    }),
    close: async () => {
      clearTimeout(settled)
      scans.close()
      await process.close()
    },
  }
}

/** A client for the process that runs now; who asks while there is none waits for the next. */
function makeClients(path: string, start: () => void) {
  const waiting = new Set<(client: BackgroundClient) => void>()
  let current: { readonly child: BackgroundChild; readonly client: BackgroundClient } | undefined
  return {
    use(child: BackgroundChild): void {
      const port = openForkPort(child.channel, 'calls')
      const client: BackgroundClient = createORPCClient(new RPCLink({ port }))
      current = { child, client }
      for (const tell of waiting) tell(client)
      waiting.clear()
    },
    drop(child: BackgroundChild): void {
      if (current?.child === child) current = undefined
    },
    get(): Promise<BackgroundClient> {
      if (current !== undefined) return Promise.resolve(current.client)
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(tell)
          reject(makeLostCall(path))
        }, START_MS)
        const tell = (client: BackgroundClient): void => {
          clearTimeout(late)
          resolve(client)
        }
        waiting.add(tell)
        start()
      })
    },
  }
}

interface PassingOptions {
  readonly path: string
  readonly connect: () => Promise<BackgroundClient>
  /** A caller gave up. */
  readonly onStop: () => void
}

function makePassingRouter({ path, connect, onStop }: PassingOptions) {
  const os = implement(backgroundContract)
  return os.router({
    search: os.search.handler(async ({ input, signal }) => {
      const watched = { path, signal, onStop }
      const ask = async () =>
        (await connect()).search(input, signal === undefined ? {} : { signal })
      return watchStream(await watchCall(ask, watched), watched)
    }),
  })
}
