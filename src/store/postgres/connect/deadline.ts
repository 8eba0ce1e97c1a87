/** A moment by which something has to be over. */
export interface Deadline {
  leftMs(): number
  /** Runs when the time is over; the answer takes it back. Runs soon when it is over already. */
  onExpiry(run: () => void): () => void
}

export function makeDeadline(ms: number): Deadline {
  const endsAt = performance.now() + ms
  const leftMs = (): number => Math.max(0, endsAt - performance.now())
  return {
    leftMs,
    onExpiry(run) {
      const timer = setTimeout(run, Math.ceil(leftMs()))
      return () => clearTimeout(timer)
    },
  }
}

/** The promise's answer, or a rejection with `late()` as soon as the time is over or the signal aborts. */
export function within<T>(
  deadline: Deadline,
  promise: Promise<T>,
  late: () => unknown,
  signal?: AbortSignal,
  aborted: () => unknown = late,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => settle(() => reject(aborted()))
    const takeBack = deadline.onExpiry(() => settle(() => reject(late())))
    function settle(finish: () => void): void {
      takeBack()
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
    if (signal?.aborted === true) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

const MIN_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 10_000

/** Anything between the shortest pause and one that doubles, so that many clients do not come back at the same moment. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(attempt + 1, 20))
  return MIN_BACKOFF_MS + random() * (ceiling - MIN_BACKOFF_MS)
}
