import { app } from 'electron'
import { join, resolve } from 'node:path'

/** How long the app may take to close databases before it ends regardless. */
const END_MS = 3_000

/** A data folder of its own means a life of its own: other windows, another single instance. */
export function separateUserData(): void {
  const dataDir = process.env['A2_DATA_DIR']
  if (dataDir && !app.commandLine.hasSwitch('user-data-dir')) {
    app.setPath('userData', join(resolve(dataDir), 'electron'))
  }
}

/** Whoever started us from a terminal waits to hear that a window is there, or that another instance shows it. */
export function tellStarter(): void {
  process.send?.('started')
}

/** How a starter says that a connection follows by message: what stands in arguments can be read by everybody. */
const FOLLOWS = '--connection-follows'
const FOLLOWS_MS = 10_000

/** The connection that whoever started us sends; null: none was announced, or none came. */
export async function receiveConnection(): Promise<string | null> {
  if (!process.argv.includes(FOLLOWS) || process.send === undefined) return null
  return new Promise((answer) => {
    const late = setTimeout(() => answer(null), FOLLOWS_MS)
    process.on('message', (message) => {
      if (typeof message !== 'object' || message === null || !('connection' in message)) return
      clearTimeout(late)
      answer(typeof message.connection === 'string' ? message.connection : null)
    })
    process.send?.('awaiting-connection')
  })
}

export interface OpenedFiles {
  /** The last one asked for before the app was ready. */
  readonly path: string | undefined
  /** From now on each is opened as it comes. */
  forward(open: (path: string) => void): void
}

/** Files opened from the Finder or the Dock; the first may come before the app is ready. */
export function collectOpenedFiles(): OpenedFiles {
  let early: string | undefined
  let open = (path: string): void => {
    early = path
  }
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open(path)
  })
  return {
    get path() {
      return early
    },
    forward(next) {
      open = next
    },
  }
}

/** Ends what was started before the app goes. */
export function endCleanly(end: () => Promise<unknown>): void {
  let isEnding = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isEnding) return
    isEnding = true
    setTimeout(() => app.exit(0), END_MS)
    void end().finally(() => app.exit(0))
  })
}
