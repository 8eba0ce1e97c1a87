import type { RPCHandler } from '@orpc/server/message-port'
import type { MessagePortMain } from 'electron'

import type { FromStoreProcess } from './store-messages.ts'

/** Answers the calls of a page, and tells the main process when it has gone. */
export function servePage(handler: RPCHandler<object>, port: MessagePortMain): void {
  handler.upgrade(port, { context: {} })
  port.on('close', () => tellMain({ kind: 'port-closed' }))
  port.start()
}

export function tellMain(message: FromStoreProcess): void {
  process.parentPort.postMessage(message)
}
