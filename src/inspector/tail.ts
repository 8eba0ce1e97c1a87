import { AsyncIteratorClass } from '@orpc/server'

import type { LiveMessage } from '../model/live.ts'
import type { Reader } from './reader.ts'
import type { WriteLock } from './write-lock.ts'

/** What watchers hear. */
export class Tail {
  readonly #reader: Reader
  readonly #lock: WriteLock

  constructor(reader: Reader, lock: WriteLock) {
    this.#reader = reader
    this.#lock = lock
  }

  subscribe(
    _: { isVisible: boolean },
    signal: AbortSignal | undefined,
  ): AsyncIteratorClass<LiveMessage> {
    let isFirst = true
    let wake: (() => void) | null = null
    const next = async (): Promise<IteratorResult<LiveMessage>> => {
      const at = this.#reader.now()
      if (isFirst) {
        isFirst = false
        const isWritingUnlocked = this.#lock.isUnlocked
        return { done: false, value: { kind: 'hello', isWritingUnlocked, at } }
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      return { done: true, value: undefined }
    }
    signal?.addEventListener('abort', () => wake?.())
    return new AsyncIteratorClass(next, async () => wake?.())
  }
}
