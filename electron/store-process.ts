import { RPCHandler } from '@orpc/server/message-port'
import type { MessagePortMain } from 'electron'

import { openInspector } from '../src/inspector/open-inspector.ts'
import type { Inspector } from '../src/inspector/open-inspector.ts'
import { openServerInspector } from '../src/inspector/servers/open-server-inspector.ts'
import type { ServerInspector } from '../src/inspector/servers/open-server-inspector.ts'
import { logDefect, logDefects } from '../src/shell/log-defects.ts'
import { cover, isToStoreProcess } from './store-messages.ts'
import type { FromStoreProcess, StoreRole, ToStoreProcess } from './store-messages.ts'

interface Open {
  readonly inspector: Inspector | ServerInspector
  readonly handlers: Readonly<Record<StoreRole, RPCHandler<object>>>
}

/** A utility process: `store-process <data folder> [path]`. Without a path a message says which server. Everything that touches the database runs here. */
function main(dataFolder: string, path: string | undefined): void {
  let open = path === undefined ? undefined : toOpen(openInspector({ path, dataFolder }))
  process.parentPort.on('message', ({ data, ports }) => {
    if (!isToStoreProcess(data)) return
    if (data.kind === 'server') {
      const { identity, secrets } = data
      open ??= toOpen(
        openServerInspector({
          ...identity,
          secrets: cover(secrets),
          dataFolder,
          onDefect: logDefect,
        }),
      )
    } else if (data.kind === 'port') serve(open?.handlers[data.role], ports[0])
    else if (data.kind === 'connect') void connect(open, data)
    else void end(open)
  })
}

function toOpen(inspector: Open['inspector']): Open {
  const interceptors = [logDefects]
  return {
    inspector,
    handlers: {
      interactive: new RPCHandler(inspector.router, { interceptors }),
      background: new RPCHandler(inspector.backgroundRouter, { interceptors }),
    },
  }
}

function serve(handler: RPCHandler<object> | undefined, port: MessagePortMain | undefined): void {
  if (handler === undefined || port === undefined) return
  handler.upgrade(port, { context: {} })
  port.on('close', () => tell({ kind: 'port-closed' }))
  port.start()
}

async function connect(
  open: Open | undefined,
  { call, secrets }: ToStoreProcess & { kind: 'connect' },
): Promise<void> {
  if (open === undefined || !('connect' in open.inspector)) return
  const failure = await open.inspector.connect(secrets && cover(secrets))
  tell({ kind: 'connected', call, failure })
}

function tell(message: FromStoreProcess): void {
  process.parentPort.postMessage(message)
}

async function end(open: Open | undefined): Promise<void> {
  await open?.inspector.close()
  process.exit(0)
}

const [, , dataFolder, path] = process.argv
if (dataFolder === undefined) process.exit(2)
main(dataFolder, path)
