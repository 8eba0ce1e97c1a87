import { RPCHandler } from '@orpc/server/message-port'

import { openBackgroundHalf } from '../inspector/open-background.ts'
import { hasKind } from '../model/has-kind.ts'
import type { FromKept } from '../shell/kept-process.ts'
import { logDefect, logDefects } from '../shell/log-defects.ts'
import { openForkPort } from './fork-ports.ts'
import type { ForkChannel } from './fork-ports.ts'
import { toScanPort } from './fork-scans.ts'

/** A child process: `background-process <path>`. Runs what takes long in a file, for the host that forked it; ends with it. */
function main(path: string): void {
  const background = openBackgroundHalf({ path, onDefect: logDefect })
  const channel: ForkChannel = {
    send: (message) => {
      if (process.connected) process.send?.(message)
    },
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.once('disconnect', listener),
  }
  const end = (): void => {
    background.close()
    process.exit(0)
  }
  // Ctrl-C in the terminal reaches us too: the host is told, and tells us.
  process.on('SIGINT', () => undefined)
  channel.onClose(end)
  channel.onMessage((message) => {
    if (hasKind(message, ['close'])) end()
    if (hasKind(message, ['ping'])) channel.send({ kind: 'pong' } satisfies FromKept)
  })
  const handler = new RPCHandler(background.router, { interceptors: [logDefects] })
  handler.upgrade(openForkPort(channel, 'calls'), { context: {} })
  background.serveScans(toScanPort(channel))
  channel.send({ kind: 'ready' } satisfies FromKept)
}

const [, , path] = process.argv
if (path === undefined || process.send === undefined) {
  process.stderr.write('background-process is started by the program itself\n')
  process.exit(2)
}
main(path)
