import { MessageChannelMain } from 'electron'
import type { MessagePortMain } from 'electron'

import { keepProcess } from '../src/shell/kept-process.ts'
import type { KeptProcess } from '../src/shell/kept-process.ts'
import type { StoreChild } from './store-child.ts'

/** The second process of a file: what takes long runs there. It is there again when it ended, until it is closed. */
export interface FileBackground extends KeptProcess {
  /** Ports of pages that it has, or will get. */
  readonly pages: number
  /** Hands it a port of a page, as soon as it can take it. */
  serve(port: MessagePortMain): void
  /** The other process of the file is another one now: connects the two. */
  pair(): void
}

interface FileBackgroundOptions {
  readonly fork: () => StoreChild
  /** The file's interactive process, if it runs. */
  readonly interactive: () => StoreChild | undefined
}

export function makeFileBackground({ fork, interactive }: FileBackgroundOptions): FileBackground {
  let ready: StoreChild | undefined
  const waiting: MessagePortMain[] = []

  const pair = (): void => {
    const other = interactive()
    if (ready === undefined || other === undefined) return
    const { port1, port2 } = new MessageChannelMain()
    ready.tell({ kind: 'scans' }, [port1])
    other.tell({ kind: 'scans' }, [port2])
  }
  const kept = keepProcess({
    fork,
    onReady(child) {
      ready = child
      for (const port of waiting.splice(0)) child.serve('background', port)
      pair()
    },
    onGone(child) {
      if (ready === child) ready = undefined
    },
  })
  return {
    ...kept,
    get pages() {
      return waiting.length + (ready?.pages ?? 0)
    },
    serve(port) {
      if (ready !== undefined) return ready.serve('background', port)
      waiting.push(port)
      kept.start()
    },
    pair,
    async close() {
      for (const port of waiting.splice(0)) port.close()
      await kept.close()
    },
  }
}
