import { fork } from 'node:child_process'
import { join } from 'node:path'

import type { KeptChild } from '../shell/kept-process.ts'
import type { ForkChannel } from './fork-ports.ts'

export interface BackgroundChild extends KeptChild {
  readonly channel: ForkChannel
}

/** Forks the process that runs what takes long in a file. */
export function forkBackground(path: string): BackgroundChild {
  const child = fork(join(import.meta.dirname, 'background-process.ts'), [path], {
    // What a structured clone holds: rows by columns, ids that are no UTF-8.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  // One that cannot be started is gone without an exit.
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const channel: ForkChannel = {
    send: (message) => {
      if (child.connected && isObject(message)) child.send(message, ignoreFailure)
    },
    onMessage: (listener) => void child.on('message', listener),
    onClose: (listener) => void gone.then(listener),
  }
  return {
    channel,
    tell: (message) => channel.send(message),
    onMessage: (listener) => channel.onMessage(listener),
    onExit: (listener) => channel.onClose(listener),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** It ended meanwhile: that is told by its end. */
function ignoreFailure(): void {}

function isObject(message: unknown): message is object {
  return typeof message === 'object' && message !== null
}
