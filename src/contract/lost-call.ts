import { AsyncIteratorClass, ORPCError } from '@orpc/contract'

import type { DatabaseTrouble } from '../model/database.ts'
import { databaseErrors } from './errors.ts'

/** What a call fails with when the process that ran it ended: a trouble of the database, and no other. */
export function makeLostCall(path: string): ORPCError<'DATABASE_TROUBLE', DatabaseTrouble> {
  const { status } = databaseErrors.DATABASE_TROUBLE
  return new ORPCError('DATABASE_TROUBLE', {
    defined: true,
    status,
    data: { kind: 'process-ended', path, code: null },
  })
}

/** As much of an AbortSignal as is needed, which is not the same type everywhere. */
interface Signal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void
}

interface Watched {
  /** Of the database, for the error. */
  readonly path: string
  readonly signal: Signal | undefined
  /** The caller gave up: whoever runs it should end it soon. */
  readonly onStop: () => void
}

/** A call that only reads: asked again, of the next process, when the one it was asked of ends before it answers. */
export async function watchCall<T>(ask: () => Promise<T>, watched: Watched): Promise<T> {
  watched.signal?.addEventListener('abort', () => watched.onStop(), { once: true })
  try {
    return await ask()
  } catch (error) {
    if (!isLost(error, watched)) throw error
  }
  try {
    return await ask()
  } catch (error) {
    throw isLost(error, watched) ? makeLostCall(watched.path) : error
  }
}

/** A stream from another process: an end that nobody asked for becomes an error that says so. */
export function watchStream<T>(
  stream: AsyncIterator<T>,
  watched: Watched,
): AsyncIteratorClass<T, undefined> {
  return new AsyncIteratorClass<T, undefined>(
    async () => {
      try {
        const { done, value } = await stream.next()
        return done === true ? { done, value: undefined } : { done: false, value }
      } catch (error) {
        throw isLost(error, watched) ? makeLostCall(watched.path) : error
      }
    },
    async (reason) => {
      if (reason === 'next') return
      watched.onStop()
      await stream.return?.()
    },
  )
}

/** The RPC library calls a closed connection an abort. */
function isLost(error: unknown, { signal }: Watched): boolean {
  return !(error instanceof ORPCError) && signal?.aborted !== true
}
