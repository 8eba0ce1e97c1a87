import type { MessagePortHandler } from '@orpc/server/message-port'
import type { MessagePortMain } from 'electron'

import { callsOnly } from './calls-only.ts'
import type { FromStoreProcess } from './store-messages.ts'

/** Answers the calls of a page, and tells the main process when it has gone. */
export function servePage(handler: MessagePortHandler<object>, port: MessagePortMain): void {
  handler.upgrade(callsOnly(port), { context: {} })
  port.on('close', () => tellMain({ kind: 'port-closed' }))
  port.start()
}

export function tellMain(message: FromStoreProcess): void {
  process.parentPort.postMessage(message)
}
