import type { MessagePortMain } from 'electron'

import { isCall } from '../src/shell/is-call.ts'

/** A port as the RPC library uses one. */
export interface CallPort {
  on(event: string, listener: (event?: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

/** A page's port from which only calls are heard: whatever else a page sends must not end the process that hears it. */
export function callsOnly(port: MessagePortMain): CallPort {
  return {
    on(event, listener) {
      if (event === 'close') port.on('close', () => listener())
      if (event !== 'message') return
      port.on('message', ({ data }) => {
        if (isCall(data)) listener({ data })
      })
    },
    postMessage: (message) => port.postMessage(message),
  }
}
