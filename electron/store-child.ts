import { utilityProcess } from 'electron'
import type { MessagePortMain } from 'electron'

import type { KeptChild } from '../src/shell/kept-process.ts'
import { isFromStoreProcess } from './store-messages.ts'
import type { FromStoreProcess, StoreRole, ToStoreProcess } from './store-messages.ts'

/** One utility process for a database. */
export interface StoreChild extends KeptChild {
  readonly gone: Promise<void>
  /** Ports of pages that it has. */
  readonly pages: number
  tell(message: ToStoreProcess, ports?: readonly MessagePortMain[]): void
  /** Hands it a port of a page. */
  serve(role: StoreRole, port: MessagePortMain): void
  onTold(listener: (message: FromStoreProcess) => void): void
}

interface ForkOptions {
  readonly entry: string
  readonly args: readonly string[]
  /** As the system lists it. */
  readonly name: string
  /** A page has gone, or all of them with the process. */
  readonly onPageGone: () => void
}

export function forkStore({ entry, args, name, onPageGone }: ForkOptions): StoreChild {
  const child = utilityProcess.fork(entry, [...args], { serviceName: name, stdio: 'inherit' })
  const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  let pages = 0
  const tell: StoreChild['tell'] = (message, ports) =>
    child.postMessage(message, ports === undefined ? undefined : [...ports])
  const onTold: StoreChild['onTold'] = (listener) =>
    void child.on('message', (message: unknown) => {
      if (isFromStoreProcess(message)) listener(message)
    })
  onTold((message) => {
    if (message.kind !== 'port-closed') return
    pages -= 1
    onPageGone()
  })
  child.once('exit', () => {
    pages = 0
    onPageGone()
  })
  return {
    gone,
    get pages() {
      return pages
    },
    tell,
    serve(role, port) {
      pages += 1
      tell({ kind: 'port', role }, [port])
    },
    onTold,
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void gone.then(listener),
    kill: () => killNow(child),
  }
}

/** Electron asks first, which one that was stopped does not hear. */
function killNow(child: Electron.UtilityProcess): void {
  try {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
  } catch {
    // It has just ended, or the system does not let us: the other way remains.
  }
  child.kill()
}
