import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { openConnections } from '../inspector/connections.ts'
import type { Connections } from '../inspector/connections.ts'
import { findDataFolder } from '../inspector/data-folder.ts'
import { describeSettingsProblem } from '../model/describe-settings-problem.ts'
import { toPlatform } from '../shell/platform.ts'
import { makeSampleLauncher } from '../shell/sample-launcher.ts'
import type { SampleLauncher, SampleProcess } from '../shell/sample-launcher.ts'
import { confirmInTerminal } from './confirm-in-terminal.ts'
import { CannotStart } from './cannot-start.ts'
import { startHttpHost } from './http-host.ts'
import type { HttpHost } from './http-host.ts'
import { openInBrowser } from './open-in-browser.ts'

interface BrowserMode {
  readonly projectFolder: string
  readonly version: string
  readonly startFolder: string
  readonly path: string | null
  /** A text that names a server; wins over the path. */
  readonly connection: string | null
  readonly isSample: boolean
  readonly isQuiet: boolean
}

/** Serves until it is told to end. Throws CannotStart. */
export async function runBrowserMode(mode: BrowserMode): Promise<void> {
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const dataFolder = findDataFolder()
  const connections = openConnections({ dataFolder, startFolder: mode.startFolder })
  const sample = makeSampleLauncher({
    path: connections.sample.path,
    fork: (path) => forkSample(mode.projectFolder, path),
  })
  const host = await startHttpHost({
    port: readPort(),
    rendererFolder: join(mode.projectFolder, 'dist', 'renderer'),
    connections,
    sample,
    confirmCommand: confirmInTerminal({ input: process.stdin, output: process.stdout }),
    info: {
      mode: 'browser',
      platform: toPlatform(process.platform),
      version: mode.version,
      canShowDialog: false,
      canOpenWindows: false,
      dataFolder,
    },
  })
  const url = host.urlFor(await firstScreenOrEnd(mode, connections, sample, host))
  console.log(`A2 Inspector is at ${url}\nCtrl-C ends it.`)
  if (!mode.isQuiet) openInBrowser(url)
  await ended
  await close(host)
}

/** A second Ctrl-C does not wait. */
async function close(host: HttpHost): Promise<void> {
  process.once('SIGINT', () => process.exit(130))
  await host.close()
}

/** What cannot be opened ends the program: a host that still listens would keep it alive. */
async function firstScreenOrEnd(...all: Parameters<typeof firstScreen>): Promise<string> {
  try {
    return await firstScreen(...all)
  } catch (error) {
    const [, , , host] = all
    await host.close()
    throw error
  }
}

async function firstScreen(
  { path, connection, isSample }: BrowserMode,
  connections: Connections,
  sample: SampleLauncher,
  host: HttpHost,
): Promise<string> {
  if (isSample) {
    await sample.prepare()
    return `/d/${connections.sample.databaseId}`
  }
  if (connection !== null) {
    const prepared = await host.servers.prepare(connection)
    if ('databaseId' in prepared) return `/d/${prepared.databaseId}`
    throw new CannotStart(describeSettingsProblem(prepared.problem))
  }
  return path === null ? '/' : `/d/${connections.open(path).databaseId}`
}

function forkSample(projectFolder: string, path: string): SampleProcess {
  const source = join(projectFolder, 'src', 'sample', 'sample-process.ts')
  const built = join(projectFolder, 'dist', 'sample', 'sample-process.js')
  const child = fork(existsSync(source) ? source : built, [path], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl-C in the terminal reaches us; it is told to stop when we have closed the database.
    detached: process.platform !== 'win32',
  })
  return {
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.on('exit', listener),
    send: (message) => {
      if (child.connected) child.send(message)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** `A2_PORT`; 0: any free one. Throws a line for the person. */
function readPort(): number {
  const text = process.env['A2_PORT'] || '0'
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CannotStart(`A2_PORT is not a port: ${text}`)
}
