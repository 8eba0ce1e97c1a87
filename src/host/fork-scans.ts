import type { ScanPort } from '../inspector/scans/messages.ts'
import { openForkPort } from './fork-ports.ts'
import type { ForkChannel } from './fork-ports.ts'

/** The stream of scans as a port. It closes with the channel. */
export function toScanPort(channel: ForkChannel): ScanPort {
  const port = openForkPort(channel, 'scans')
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', (event) => listener(event?.data)),
    onClose: (listener) => channel.onClose(listener),
    close: () => undefined,
  }
}
