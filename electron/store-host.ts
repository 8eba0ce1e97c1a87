import type { MessagePortMain } from 'electron'

import type { OpenedDatabase } from '../src/contract/index.ts'
import type { ConnectFailure, Secrets } from '../src/inspector/servers/secrets.ts'
import type { SampleLauncher } from '../src/shell/sample-launcher.ts'
import { makeFileBackground } from './file-background.ts'
import type { FileBackground } from './file-background.ts'
import { startInteractive } from './interactive.ts'
import type { Interactive, InteractiveOptions } from './interactive.ts'
import { forkStore } from './store-child.ts'
import type { StoreRole } from './store-messages.ts'

/**
 * The utility processes of each database that a window looks at, shared by all windows: one that answers the
 * screens, and for a file another one for what takes long. One that crashes closes its ports; whoever held one
 * asks again and gets a new process.
 */
export interface StoreHost {
  /** Hands a port to the process of a database that has that role. */
  connect(database: OpenedDatabase, role: StoreRole, port: MessagePortMain): void
  /** A page gave up waiting for the process that runs what takes long: one that does not answer is replaced. */
  check(databaseId: string): void
  /** Starts the process while the window that will ask for it is still loading. */
  warm(database: OpenedDatabase): void
  /** Connects the process of a server to it, with these secrets if there are some. null: it is connected. */
  connectServer(database: OpenedDatabase, secrets: Secrets | null): Promise<ConnectFailure | null>
  /** Ends the processes of a database, if there are some. Windows that look at it ask for others. */
  disconnect(databaseId: string): Promise<void>
  /** Ends all of them. Resolves when they are gone. */
  close(): Promise<void>
}

interface Open {
  readonly database: OpenedDatabase
  interactive: Interactive | undefined
  /** Files only. */
  readonly background: FileBackground | undefined
  /** Connections to a server that are under way. */
  connecting: number
  idle: NodeJS.Timeout | undefined
}

interface StoreHostOptions extends Pick<InteractiveOptions, 'dataFolder' | 'recall'> {
  /** The built processes. */
  readonly entries: Readonly<Record<StoreRole, string>>
  readonly sample: SampleLauncher
  /** How long processes nobody uses stay, so that a reload finds them warm. */
  readonly idleMs?: number
  /** How long one may take to end by itself. */
  readonly closeMs?: number
}

/** By then the first screen is there: the second process is started, so that the first search need not wait for it. */
const SETTLED_MS = 1_000

export function makeStoreHost(options: StoreHostOptions): StoreHost {
  const { entries, sample, idleMs = 5_000, closeMs = 1_500 } = options
  const databases = new Map<string, Open>()

  const end = async (open: Open): Promise<void> => {
    const { databaseId, isSample } = open.database
    clearTimeout(open.idle)
    if (databases.get(databaseId) !== open) return
    databases.delete(databaseId)
    if (isSample) sample.release()
    const child = open.interactive?.child
    child?.tell({ kind: 'close' })
    const late = setTimeout(() => child?.kill(), closeMs)
    await Promise.all([child?.gone, open.background?.close()])
    clearTimeout(late)
  }
  const endWhenIdle = (open: Open): void => {
    clearTimeout(open.idle)
    const pages = (open.interactive?.child.pages ?? 0) + (open.background?.pages ?? 0)
    if (databases.get(open.database.databaseId) !== open || pages + open.connecting > 0) return
    open.idle = setTimeout(() => void end(open), idleMs)
  }
  const find = (database: OpenedDatabase): Open => {
    const known = databases.get(database.databaseId)
    if (known !== undefined) return known
    const background =
      database.kind === 'file' ? makeBackground(database.path, () => open) : undefined
    const open: Open = {
      database,
      interactive: undefined,
      background,
      connecting: 0,
      idle: undefined,
    }
    databases.set(database.databaseId, open)
    if (database.isSample) sample.acquire()
    return open
  }
  const makeBackground = (path: string, open: () => Open): FileBackground =>
    makeFileBackground({
      fork: () =>
        forkStore({
          entry: entries.background,
          args: [path],
          name: 'A2 Inspector background',
          onPageGone: () => endWhenIdle(open()),
        }),
      interactive: () => open().interactive?.child,
    })
  const start = (open: Open): Interactive => {
    const { database, background } = open
    const started = startInteractive(
      { ...options, entry: entries.interactive },
      { database, background, onPageGone: () => endWhenIdle(open) },
    )
    open.interactive = started
    const settled = setTimeout(() => background?.start(), SETTLED_MS)
    started.child.onExit(() => {
      clearTimeout(settled)
      if (open.interactive === started) open.interactive = undefined
    })
    background?.pair()
    return started
  }

  return {
    connect(database, role, port) {
      const open = find(database)
      clearTimeout(open.idle)
      if (role === 'background' && open.background !== undefined) {
        return open.background.serve(port)
      }
      const { child, told } = open.interactive ?? start(open)
      if (told === null) return child.serve(role, port)
      told.then(
        () => child.serve(role, port),
        () => {
          port.close()
          endWhenIdle(open)
        },
      )
    },
    check: (databaseId) => databases.get(databaseId)?.background?.check(),
    warm(database) {
      const open = find(database)
      if (open.interactive === undefined) start(open)
      endWhenIdle(open)
    },
    async connectServer(database, secrets) {
      const open = find(database)
      clearTimeout(open.idle)
      open.connecting += 1
      try {
        return await (open.interactive ?? start(open)).connect(secrets)
      } finally {
        open.connecting -= 1
        endWhenIdle(open)
      }
    },
    async disconnect(databaseId) {
      const open = databases.get(databaseId)
      if (open !== undefined) await end(open)
    },
    async close() {
      await Promise.all([...databases.values()].map((open) => end(open)))
    },
  }
}
