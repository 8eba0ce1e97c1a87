import type { OpenedDatabase } from '../src/contract/index.ts'
import type { ConnectFailure, Secrets, ServerIdentity } from '../src/inspector/servers/secrets.ts'
import { startHeartbeat } from '../src/shell/heartbeat.ts'
import type { FileBackground } from './file-background.ts'
import { forkStore } from './store-child.ts'
import type { StoreChild } from './store-child.ts'
import { bare } from './store-messages.ts'

/** The process of a database that answers the screens. */
export interface Interactive {
  readonly child: StoreChild
  /** Of a server: once it was told which. Rejects when that is not known any more. */
  readonly told: Promise<void> | null
  /** Connects the process of a server to it. null: it is connected. */
  connect(secrets: Secrets | null): Promise<ConnectFailure | null>
}

export interface InteractiveOptions {
  readonly entry: string
  readonly dataFolder: string
  /** Who a server is, and what the vault has for it. */
  readonly recall: (
    databaseId: string,
  ) => Promise<{ readonly identity: ServerIdentity; readonly secrets: Secrets } | undefined>
}

interface Surroundings {
  readonly database: OpenedDatabase
  /** Of a file. */
  readonly background: FileBackground | undefined
  readonly onPageGone: () => void
}

export function startInteractive(
  { entry, dataFolder, recall }: InteractiveOptions,
  { database, background, onPageGone }: Surroundings,
): Interactive {
  const isFile = database.kind === 'file'
  const child = forkStore({
    entry,
    // Secrets go by message: arguments can be read by everybody.
    args: isFile ? [dataFolder, database.path] : [dataFolder],
    name: 'A2 Inspector store',
    onPageGone,
  })
  const told = isFile ? null : tellServer(child, recall(database.databaseId))
  // Whoever waits for it hears of it.
  told?.catch(() => undefined)
  const waiting = new Map<number, (failure: ConnectFailure | null) => void>()
  let calls = 0
  watchHeart(child)
  child.onTold((message) => {
    if (message.kind === 'connected') {
      waiting.get(message.call)?.(message.failure)
      waiting.delete(message.call)
    } else if (message.kind === 'scans-wanted') background?.start()
    else if (message.kind === 'scans-stuck') background?.replace()
  })
  return {
    child,
    told,
    async connect(secrets) {
      await told
      calls += 1
      const call = calls
      const answered = new Promise<ConnectFailure | null>((resolve) => {
        waiting.set(call, resolve)
      })
      child.tell({ kind: 'connect', call, secrets: secrets && bare(secrets) })
      return Promise.race([answered, child.gone.then(() => ended(database))])
    },
  }
}

/** One that is stuck is ended: its pages ask for another. */
function watchHeart(child: StoreChild): void {
  const heartbeat = startHeartbeat({
    ping: () => child.tell({ kind: 'ping' }),
    onSilent: () => child.kill(),
  })
  child.onTold(() => heartbeat.heard())
  child.onExit(() => heartbeat.stop())
}

async function tellServer(
  child: StoreChild,
  recalled: ReturnType<InteractiveOptions['recall']>,
): Promise<void> {
  const server = await recalled
  if (server === undefined) throw new Error('not a server of the list')
  const { identity, secrets } = server
  child.tell({ kind: 'server', identity, secrets: bare(secrets) })
}

function ended({ path }: OpenedDatabase): ConnectFailure {
  return { trouble: { kind: 'process-ended', path, code: null }, needed: null }
}
