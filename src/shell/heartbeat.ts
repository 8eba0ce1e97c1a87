export interface Heartbeat {
  /** The process answered. */
  heard(): void
  stop(): void
}

interface HeartbeatOptions {
  readonly ping: () => void
  /** As often in a row went unanswered as it may: the process is stuck. */
  readonly onSilent: () => void
  readonly everyMs?: number
  readonly misses?: number
}

/**
 * Asks a process again and again whether it is there. By default longer than any statement takes that a screen
 * waits for, and than a writer waits for another program's lock; a machine that slept is one miss, however long.
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { ping, onSilent, everyMs = 5_000, misses = 3 } = options
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered >= misses) return onSilent()
    unanswered += 1
    ping()
  }, everyMs)
  timer.unref()
  return {
    heard: () => {
      unanswered = 0
    },
    stop: () => clearInterval(timer),
  }
}
