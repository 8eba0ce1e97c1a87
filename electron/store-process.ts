import type { MessagePortHandler } from '@orpc/server/message-port'

import { openInspector } from '../src/inspector/open-inspector.ts'
import type { Inspector } from '../src/inspector/open-inspector.ts'
import { RemoteScans } from '../src/inspector/scans/remote-scans.ts'
import { openServerInspector } from '../src/inspector/servers/open-server-inspector.ts'
import type { ServerInspector } from '../src/inspector/servers/open-server-inspector.ts'
import { logDefect } from '../src/shell/log-defects.ts'
import { makePortHandler } from './port-handler.ts'
import { toScanPort } from './scan-port.ts'
import { servePage, tellMain } from './serve-page.ts'
import { cover, isToStoreProcess } from './store-messages.ts'
import type { StoreRole, ToStoreProcess } from './store-messages.ts'

interface Open {
  readonly inspector: Inspector | ServerInspector
  readonly handlers: Readonly<Record<StoreRole, MessagePortHandler<object>>>
  /** Of a file. */
  readonly remote: RemoteScans | null
}

/** A utility process: `store-process <data folder> [path]`. Without a path a message says which server. Everything that a screen waits for runs here. */
function main(dataFolder: string, path: string | undefined): void {
  let open = path === undefined ? undefined : openFile(dataFolder, path)
  process.parentPort.on('message', ({ data, ports: [port] }) => {
    if (!isToStoreProcess(data)) return
    if (data.kind === 'server') open ??= openServer(dataFolder, data)
    else if (data.kind === 'ping') tellMain({ kind: 'pong' })
    else if (data.kind === 'close') void end(open)
    else if (open === undefined) return
    else if (data.kind === 'connect') void connect(open, data)
    else if (port === undefined) return
    else if (data.kind === 'scans') open.remote?.attach(toScanPort(port))
    else servePage(open.handlers[data.role], port)
  })
}

function openFile(dataFolder: string, path: string): Open {
  const remote = new RemoteScans({
    path,
    onWanted: () => tellMain({ kind: 'scans-wanted' }),
    onStuck: () => tellMain({ kind: 'scans-stuck' }),
  })
  return toOpen(openInspector({ path, dataFolder, remote, onDefect: logDefect }), remote)
}

function openServer(
  dataFolder: string,
  { identity, secrets }: ToStoreProcess & { kind: 'server' },
): Open {
  return toOpen(
    openServerInspector({
      ...identity,
      secrets: cover(secrets),
      dataFolder,
      onDefect: logDefect,
    }),
    null,
  )
}

function toOpen(inspector: Open['inspector'], remote: RemoteScans | null): Open {
  return {
    inspector,
    remote,
    handlers: {
      interactive: makePortHandler(inspector.router),
      // Of a server: what takes long runs there, not here.
      background: makePortHandler(inspector.backgroundRouter),
    },
  }
}

async function connect(
  { inspector }: Open,
  { call, secrets }: ToStoreProcess & { kind: 'connect' },
): Promise<void> {
  if (!('connect' in inspector)) return
  const failure = await inspector.connect(secrets && cover(secrets))
  tellMain({ kind: 'connected', call, failure })
}

async function end(open: Open | undefined): Promise<void> {
  await open?.inspector.close()
  process.exit(0)
}

const [, , dataFolder, path] = process.argv
if (dataFolder === undefined) process.exit(2)
main(dataFolder, path)
