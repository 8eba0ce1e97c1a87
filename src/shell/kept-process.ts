import { startHeartbeat } from './heartbeat.ts'

/** What a kept process is told: answer, or end. */
export type ToKept = { readonly kind: 'ping' } | { readonly kind: 'close' }

/** What it says: it can take work, or it is there. */
export type FromKept = { readonly kind: 'ready' } | { readonly kind: 'pong' }

/** A child process, however the host forks one. */
export interface KeptChild {
  tell(message: ToKept): void
  onMessage(listener: (message: unknown) => void): void
  onExit(listener: () => void): void
  /** Ends it now, in whatever it does. */
  kill(): void
}

/** A process that is there again when it ended, until it is closed. */
export interface KeptProcess {
  /** Starts it, if it was not started yet. */
  start(): void
  /** Somebody gave up waiting for it: it answers within `answerMs`, or the next one is started. */
  check(): void
  /** Ends it as it is; the next one is started. */
  replace(): void
  /** Ends it for good. Resolves when it is gone. */
  close(): Promise<void>
}

interface KeptOptions<Child extends KeptChild> {
  readonly fork: () => Child
  /** It can take work. Called for each. */
  readonly onReady: (child: Child) => void
  readonly onGone?: (child: Child) => void
  readonly answerMs?: number
  /** How long it may take to end by itself. */
  readonly closeMs?: number
  /** The longest pause before one that crashed is started again. */
  readonly longestBackOffMs?: number
}

interface Running<Child> {
  readonly child: Child
  readonly gone: Promise<void>
  readonly startedAt: number
  isReady: boolean
  /** Ended on purpose: that is no crash. */
  isReplaced: boolean
  answer: NodeJS.Timeout | undefined
}

/** One that lived as long as this did not crash because of how it began. */
const STEADY_MS = 20_000
const FIRST_BACK_OFF_MS = 100
/** A minute: a slow disk may take that long for a slice, and nobody waits for it. Who does is heard at once. */
const SILENT_MISSES = 12

export function keepProcess<Child extends KeptChild>(options: KeptOptions<Child>): KeptProcess {
  const { answerMs = 250, closeMs = 1_500, longestBackOffMs = 5_000 } = options
  let running: Running<Child> | undefined
  let later: NodeJS.Timeout | undefined
  let crashes = 0
  let isClosed = false

  const start = (): void => {
    if (isClosed || running !== undefined || later !== undefined) return
    const child = options.fork()
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const one: Running<Child> = {
      child,
      gone,
      startedAt: performance.now(),
      isReady: false,
      isReplaced: false,
      answer: undefined,
    }
    running = one
    const heartbeat = startHeartbeat({
      ping: () => child.tell({ kind: 'ping' }),
      onSilent: () => child.kill(),
      misses: SILENT_MISSES,
    })
    child.onMessage((message) => {
      if (!isFromKept(message)) return
      heartbeat.heard()
      clearTimeout(one.answer)
      one.answer = undefined
      if (message.kind !== 'ready' || one.isReady || running !== one) return
      one.isReady = true
      options.onReady(child)
    })
    child.onExit(() => {
      heartbeat.stop()
      clearTimeout(one.answer)
      if (running === one) running = undefined
      resolve()
      if (one.isReady) options.onGone?.(child)
      startAgain(one)
    })
  }
  const startAgain = (ended: Running<Child>): void => {
    if (isClosed || running !== undefined) return
    if (performance.now() - ended.startedAt > STEADY_MS) crashes = 0
    if (ended.isReplaced) return start()
    const backOffMs =
      crashes === 0 ? 0 : Math.min(longestBackOffMs, FIRST_BACK_OFF_MS * 2 ** crashes)
    crashes += 1
    later = setTimeout(() => {
      later = undefined
      start()
    }, backOffMs)
  }
  const replace = (): void => {
    const ending = running
    // One that only begins is not what somebody waited for in vain.
    if (ending?.isReady !== true) return
    ending.isReplaced = true
    ending.child.kill()
  }
  return {
    start,
    replace,
    check() {
      const asked = running
      if (asked?.isReady !== true || asked.answer !== undefined) return
      asked.answer = setTimeout(() => {
        if (running === asked) replace()
      }, answerMs)
      asked.child.tell({ kind: 'ping' })
    },
    async close() {
      isClosed = true
      clearTimeout(later)
      const ending = running
      if (ending === undefined) return
      ending.child.tell({ kind: 'close' })
      const late = setTimeout(() => ending.child.kill(), closeMs)
      await ending.gone
      clearTimeout(late)
    },
  }
}

function isFromKept(message: unknown): message is FromKept {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false
  return message.kind === 'ready' || message.kind === 'pong'
}
