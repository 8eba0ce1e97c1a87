import type { MessagePortMain } from 'electron'

import type { MessagePortHandler } from '@orpc/server/message-port'

import { openInspector } from '../src/inspector/open-inspector.ts'
import type { Inspector } from '../src/inspector/assemble-inspector.ts'
import { RemoteScans } from '../src/inspector/scans/remote-scans.ts'
import type { ServerInspector } from '../src/inspector/servers/open-server-inspector.ts'
import { logDefect } from '../src/shell/log-defects.ts'
import { forgetForms } from './no-form-data.ts'
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

type ForOpen = ToStoreProcess & { kind: 'connect' | 'scans' | 'port' }

/** A utility process: `store-process <data folder> [path]`. Without a path a message says which server. Everything that a screen waits for runs here. */
function main(dataFolder: string, path: string | undefined): void {
  forgetForms()
  let open = path === undefined ? undefined : Promise.resolve(openFile(dataFolder, path))
  process.parentPort.on('message', ({ data, ports: [port] }) => {
    if (!isToStoreProcess(data)) return
    if (data.kind === 'server') open ??= openServer(dataFolder, data)
    else if (data.kind === 'ping') tellMain({ kind: 'pong' })
    else if (data.kind === 'close') void end(open)
    else void open?.then((opened) => take(opened, data, port))
  })
}

function take(open: Open, message: ForOpen, port: MessagePortMain | undefined): void {
  if (message.kind === 'connect') void connect(open, message)
  else if (port === undefined) return
  else if (message.kind === 'scans') open.remote?.attach(toScanPort(port))
  else servePage(open.handlers[message.role], port)
}

function openFile(dataFolder: string, path: string): Open {
  const remote = new RemoteScans({
    path,
    onWanted: () => tellMain({ kind: 'scans-wanted' }),
    onStuck: () => tellMain({ kind: 'scans-stuck' }),
  })
  const inspector = openInspector({ path, dataFolder, remote, onDefect: logDefect })
  void inspector.warmUp()
  return toOpen(inspector, remote)
}

/** The driver of a server is loaded only for one: a file opens without waiting for it. */
async function openServer(
  dataFolder: string,
  { identity, secrets }: ToStoreProcess & { kind: 'server' },
): Promise<Open> {
  const { openServerInspector } = await import('../src/inspector/servers/open-server-inspector.ts')
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

async function end(open: Promise<Open> | undefined): Promise<void> {
  await (await open)?.inspector.close()
  process.exit(0)
}

const [, , dataFolder, path] = process.argv
if (dataFolder === undefined) process.exit(2)
main(dataFolder, path)
