import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

interface ElectronRun {
  readonly binary: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Told to the app by message, once it listens; null: none. */
  readonly connection: string | null
  /** How long until it must have shown a window. */
  readonly startMs: number
}

type ElectronOutcome =
  | { readonly kind: 'ended'; readonly code: number }
  /** It never showed a window. */
  | { readonly kind: 'failed'; readonly reason: string }

/** Runs Electron until it ends. The app says `started` over the channel once a window is shown. */
export async function runElectron(run: ElectronRun): Promise<ElectronOutcome> {
  const env = { ...process.env }
  // Terminals inside an Electron app hand this on; it would make a plain Node of ours.
  delete env['ELECTRON_RUN_AS_NODE']
  const child = spawn(run.binary, run.args, {
    cwd: run.cwd,
    env,
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const log = readLog(child)
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  try {
    return await watch(child, log, run)
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward)
  }
}

function watch(
  child: ChildProcess,
  log: Log,
  { startMs, connection }: ElectronRun,
): Promise<ElectronOutcome> {
  return new Promise((resolve) => {
    let isStarted = false
    const late = setTimeout(() => {
      resolve({
        kind: 'failed',
        reason: `Electron showed no window within ${Math.round(startMs / 1000)} seconds`,
      })
      child.kill('SIGKILL')
    }, startMs)
    child.on('message', (message) => {
      if (message === 'awaiting-connection') child.send({ connection })
      if (message !== 'started') return
      isStarted = true
      clearTimeout(late)
      log.passOn()
    })
    child.once('error', (error) => {
      clearTimeout(late)
      resolve({ kind: 'failed', reason: `Electron cannot be run (${error.message})` })
    })
    child.once('close', (code, signal) => {
      clearTimeout(late)
      if (isStarted || code === 0) resolve({ kind: 'ended', code: code ?? 1 })
      else
        resolve({
          kind: 'failed',
          reason: `Electron ended at once (${log.reason() ?? signal ?? `code ${code}`})`,
        })
    })
  })
}

interface Log {
  /** From now on lines are printed; those held back come first. */
  passOn(): void
  /** The line that explains a failure best. */
  reason(): string | undefined
}

/** Chromium's own log lines begin `[pid:time:LEVEL:file(line)]`. Most are of no use to anybody. */
const CHROMIUM_LINE = /^\[\d+:[^\]]*:(FATAL|ERROR|WARNING|INFO|VERBOSE\d*):[^\]]*\]\s*/

function readLog(child: ChildProcess): Log {
  const held: string[] = []
  let isPassing = false
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (isPassing) print(line)
      else if (line.trim() !== '' && held.length < 200) held.push(line)
    })
  }
  return {
    passOn() {
      isPassing = true
      for (const line of held.splice(0)) print(line)
    },
    reason: () => explain(held),
  }
}

function print(line: string): void {
  if (!CHROMIUM_LINE.test(line)) process.stderr.write(`${line}\n`)
}

function explain(lines: readonly string[]): string | undefined {
  const best =
    lines.find((line) => CHROMIUM_LINE.exec(line)?.[1] === 'FATAL') ??
    lines.find((line) => /shared libraries|Missing X server|DISPLAY/.test(line)) ??
    lines.find((line) => !CHROMIUM_LINE.test(line))
  return best?.replace(CHROMIUM_LINE, '').replace(/\.$/, '').slice(0, 200)
}
