import { utilityProcess } from 'electron'

import type { SampleProcess } from '../src/shell/sample-launcher.ts'

/** The small app behind the sample, in a process of its own as a real one would be. */
export function forkSample(entry: string, path: string): SampleProcess {
  const child = utilityProcess.fork(entry, [path], {
    serviceName: 'A2 Inspector sample',
    stdio: 'inherit',
  })
  return {
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.on('exit', () => listener()),
    send: (message) => child.postMessage(message),
    kill: () => void child.kill(),
  }
}
