import { RPCHandler } from '@orpc/server/message-port'
import type { MessagePortMain } from 'electron'

import { openInspector } from '../src/inspector/open-inspector.ts'
import { logDefects } from '../src/shell/log-defects.ts'
import { isToStoreProcess } from './store-messages.ts'
import type { PortClosed } from './store-messages.ts'

/** A utility process: `store-process <path> <data folder>`. Everything that touches the database runs here. */
function main(path: string, dataFolder: string): void {
  const inspector = openInspector({ path, dataFolder })
  const handler = new RPCHandler(inspector.router, { interceptors: [logDefects] })
  process.parentPort.on('message', ({ data, ports }) => {
    if (!isToStoreProcess(data)) return
    if (data.kind === 'port') serve(handler, ports[0])
    else void end(inspector)
  })
}

function serve(handler: RPCHandler<object>, port: MessagePortMain | undefined): void {
  if (port === undefined) return
  handler.upgrade(port, { context: {} })
  port.on('close', () => {
    process.parentPort.postMessage({ kind: 'port-closed' } satisfies PortClosed)
  })
  port.start()
}

async function end(inspector: { close(): void | Promise<void> }): Promise<void> {
  await inspector.close()
  process.exit(0)
}

const [, , path, dataFolder] = process.argv
if (path === undefined || dataFolder === undefined) process.exit(2)
main(path, dataFolder)
