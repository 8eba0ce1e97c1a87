import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** The child process behind the sample, however the host starts one. */
export interface SampleProcess {
  /** Called with `ready` once the database exists. */
  onMessage(listener: (message: unknown) => void): void
  onExit(listener: () => void): void
  send(message: 'stop'): void
  kill(): void
}

/** Keeps the small app behind the sample running while somebody looks at it. */
export interface SampleLauncher {
  /** Starts it when it is not running. Resolves when the database can be opened; rejects when the process ends before that. */
  prepare(): Promise<void>
  /** Somebody looks at it: it runs until as many `release` calls came. */
  acquire(): void
  /** It ends when nobody has looked for a moment, so that a reload does not restart it. */
  release(): void
  /** Ends it now. Resolves when it is gone. */
  stop(): Promise<void>
}

interface LauncherOptions {
  readonly path: string
  readonly fork: (path: string) => SampleProcess
  readonly graceMs?: number
  /** How long it may take to end by itself before it is killed. */
  readonly stopMs?: number
}

interface Running {
  readonly process: SampleProcess
  readonly ready: Promise<void>
  readonly gone: Promise<void>
}

export function makeSampleLauncher(options: LauncherOptions): SampleLauncher {
  const { graceMs = 5_000, stopMs = 2_000 } = options
  let running: Running | undefined
  let users = 0
  let idle: NodeJS.Timeout | undefined

  const start = (): Running => {
    mkdirSync(dirname(options.path), { recursive: true })
    const process = options.fork(options.path)
    const started = watch(process)
    running = started
    process.onExit(() => {
      if (running === started) running = undefined
    })
    return started
  }
  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = running
    if (ending === undefined) return
    running = undefined
    ending.process.send('stop')
    const late = setTimeout(() => ending.process.kill(), stopMs)
    await ending.gone
    clearTimeout(late)
  }
  const stopWhenIdle = (): void => {
    clearTimeout(idle)
    if (users === 0) idle = setTimeout(() => void stop(), graceMs).unref()
  }
  return {
    async prepare() {
      await (running ?? start()).ready
      stopWhenIdle()
    },
    acquire() {
      users += 1
      clearTimeout(idle)
      if (running === undefined) start().ready.catch(() => undefined)
    },
    release() {
      users = Math.max(0, users - 1)
      stopWhenIdle()
    },
    stop,
  }
}

function watch(process: SampleProcess): Running {
  const gone = new Promise<void>((resolve) => process.onExit(resolve))
  const ready = new Promise<void>((resolve, reject) => {
    process.onMessage((message) => {
      if (message === 'ready') resolve()
    })
    process.onExit(() => reject(new Error('The sample app ended before its database was ready.')))
  })
  // Whoever waits for it hears of it; nobody waiting is no unhandled rejection.
  ready.catch(() => undefined)
  return { process, ready, gone }
}
