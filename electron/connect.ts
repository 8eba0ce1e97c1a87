import { MessageChannelMain } from 'electron'
import type { MessagePortMain, WebContents } from 'electron'

import type { Connections } from '../src/inspector/connections.ts'
import type { HostRouter } from './host-router.ts'
import { callsOnly } from './calls-only.ts'
import { onGuarded } from './ipc-guard.ts'
import { makePortHandler } from './port-handler.ts'
import type { StoreHost } from './store-host.ts'
import type { StoreRole } from './store-messages.ts'

type Target =
  | { readonly kind: 'host' }
  | { readonly kind: 'database'; readonly databaseId: string; readonly role: StoreRole }

/** How a page names them. */
const PREFIX: Readonly<Record<StoreRole, string>> = { interactive: 'db', background: 'bg' }

/** Hands a page the ports it asks for: to this process, or straight to the process of a database. */
export function answerConnections(services: {
  readonly hostRouter: HostRouter
  readonly connections: Connections
  readonly stores: StoreHost
}): void {
  const { hostRouter, connections, stores } = services
  const hostHandler = makePortHandler(hostRouter)
  // A page gave up waiting: whoever does not answer soon is ended.
  onGuarded('a2:check', readTarget, (target) => {
    if (target.kind === 'database' && target.role === 'background') stores.check(target.databaseId)
  })
  onGuarded('a2:connect', readTarget, (target, sender) => {
    if (target.kind === 'host') {
      const port = handOver(sender, 'host')
      hostHandler.upgrade(callsOnly(port), { context: { caller: sender } })
      port.start()
      return
    }
    const database = connections.find(target.databaseId)
    // The page asked the host first what the id stands for, and was told there.
    if (database === undefined) return
    const { role, databaseId } = target
    stores.connect(database, role, handOver(sender, `${PREFIX[role]}:${databaseId}`))
  })
}

function readTarget(data: unknown): Target | undefined {
  if (data === 'host') return { kind: 'host' }
  const [, prefix, databaseId] =
    typeof data === 'string' ? (/^(db|bg):([\w-]{1,64})$/.exec(data) ?? []) : []
  if (databaseId === undefined) return undefined
  return { kind: 'database', databaseId, role: prefix === 'bg' ? 'background' : 'interactive' }
}

/** The other end of the port that the page gets. */
function handOver(page: WebContents, target: string): MessagePortMain {
  const { port1, port2 } = new MessageChannelMain()
  page.postMessage('a2:port', { target }, [port2])
  return port1
}
