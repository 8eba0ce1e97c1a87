import { cliArguments } from './hide-arguments.ts'

import { join, resolve } from 'node:path'

import manifest from '../../package.json' with { type: 'json' }
import { build } from '../../scripts/build.ts'
import type { TargetName } from '../../scripts/build.ts'
import { listNearby } from '../inspector/connections.ts'
import { parseConnectionText } from '../model/connection-text.ts'
import { describeSettingsProblem } from '../model/describe-settings-problem.ts'
import { CannotStart } from './cannot-start.ts'
import { findUserFolder, readCliOptions, takenByNpm, USAGE } from './cli-options.ts'
import type { CliOptions } from './cli-options.ts'
import { findElectron, whyNoElectron } from './electron-binary.ts'
import { mayOpenBrowser } from './open-in-browser.ts'
import { runElectron } from './run-electron.ts'

const projectFolder = join(import.meta.dirname, '..', '..')
const DOWNLOAD_MS = 180_000
const START_MS = 30_000

/** `npm start`. Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const options = readCliOptions([...takenByNpm(process.env, projectFolder), ...args])
  if ('problem' in options) {
    console.error(`${options.problem}\n\n${USAGE}`)
    return 2
  }
  if (options.isHelp) {
    console.log(USAGE)
    return 0
  }
  const startFolder = findUserFolder(process.env, process.cwd(), projectFolder)
  const problem = findConnectionProblem(options)
  if (problem !== null) {
    console.error(problem)
    return 2
  }
  const path = findPath(options, startFolder)
  if (!options.isBrowser) {
    const outcome = await tryElectron(options, path, startFolder)
    if (outcome.kind === 'ended') return outcome.code
    console.log(`${outcome.reason}: continuing in the browser.`)
  }
  await buildWhatIsMissing(['renderer'])
  const { runBrowserMode } = await import('./browser-mode.ts')
  const { isSample } = options
  const isQuiet = options.isQuiet || !mayOpenBrowser(process.env)
  await runBrowserMode({
    projectFolder,
    version: manifest.version,
    startFolder,
    path,
    connection: options.connection,
    isSample,
    isQuiet,
  })
  return 0
}

function findPath(options: CliOptions, startFolder: string): string | null {
  if (options.isSample || options.connection !== null) return null
  if (options.path !== null) return toAbsolute(options.path, startFolder)
  return listNearby(startFolder)[0] ?? null
}

function findConnectionProblem({ connection }: CliOptions): string | null {
  const parsed = connection === null ? null : parseConnectionText(connection)
  return parsed === null || parsed.ok ? null : describeSettingsProblem(parsed.problem)
}

/** A `~` that the shell left alone is for the list of known files to expand. */
function toAbsolute(path: string, folder: string): string {
  return /^~([/\\]|$)/.test(path) ? path : resolve(folder, path)
}

async function tryElectron(options: CliOptions, path: string | null, startFolder: string) {
  const { isUnsandboxed, isSample, connection } = options
  const { env, platform } = process
  const isRoot = process.getuid?.() === 0
  const reason = whyNoElectron({ platform, isRoot, env, isUnsandboxed })
  if (reason !== undefined) return { kind: 'failed' as const, reason }
  const found = await findElectron({
    env,
    downloadMs: DOWNLOAD_MS,
    onDownload: () =>
      console.log('Downloading Electron, once, for at most 3 minutes (--browser does without)…'),
  })
  if ('reason' in found) return { kind: 'failed' as const, reason: found.reason }
  await buildWhatIsMissing(['renderer', 'electron', 'sample'])
  const switches = [...(isUnsandboxed ? ['--no-sandbox'] : []), projectFolder]
  const opened = isSample
    ? ['--sample']
    : connection !== null
      ? ['--connection-follows']
      : path === null
        ? []
        : [path]
  return runElectron({
    binary: found.binary,
    args: [...switches, ...opened],
    cwd: startFolder,
    connection,
    startMs: START_MS,
  })
}

/** Tests build once for all and must not build again under each other. */
async function buildWhatIsMissing(targets: readonly TargetName[]): Promise<void> {
  if (process.env['A2_SKIP_BUILD'] === '1') return
  try {
    await build(targets, { onStart: () => console.log('Building A2 Inspector, some seconds…') })
  } catch (error) {
    throw new CannotStart(
      `The build failed: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

try {
  process.exitCode = await main(cliArguments)
} catch (error) {
  if (!(error instanceof CannotStart)) throw error
  console.error(error.message)
  process.exitCode = 1
}
