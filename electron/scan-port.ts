import type { MessagePortMain } from 'electron'

import type { ScanPort } from '../src/inspector/scans/messages.ts'

export function toScanPort(port: MessagePortMain): ScanPort {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.on('message', ({ data }) => listener(data))
      port.start()
    },
    onClose: (listener) => void port.on('close', listener),
    close: () => port.close(),
  }
}
