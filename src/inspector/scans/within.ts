import type { ScanReader } from './scan-reader.ts'

/**
 * The answer; undefined when it has not come by then (`performance.now()`), whatever becomes of it later. What
 * is asked right here is always waited for: it is under way.
 */
export async function within<T>(
  stopAt: number,
  asked: Pick<ScanReader, 'isElsewhere'>,
  answer: Promise<T>,
): Promise<T | undefined> {
  if (!asked.isElsewhere || stopAt === Number.POSITIVE_INFINITY) return answer
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), Math.max(0, stopAt - performance.now()))
  answer.catch(() => undefined)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
