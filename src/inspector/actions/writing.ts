import { setTimeout as sleep } from 'node:timers/promises'

import { type ForeignSqlite, openForeignSqlite } from '../../store/sqlite/foreign.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import type { Reader } from '../reader.ts'
import type { WriteLock } from '../write-lock.ts'

/** Waiting inside SQLite blocks the process: wait a little there and the rest outside. */
const BUSY_TIMEOUT_MS = 25
const BUSY_RETRY_MS = 50
const BUSY_PATIENCE_MS = 2500

export interface WriteContext {
  readonly reader: Reader
  readonly clock: { now(): Date }
  readonly generateId?: () => string
  readonly lock: WriteLock
}

/** A handle that writes; each call of `run` is one transaction, tried again while someone else holds the lock. Throws WritingLocked when the person switched writing off meanwhile. */
export interface Writer {
  readonly run: <T>(write: (database: ForeignSqlite) => T) => Promise<T>
}

/** Opens the file for writing as long as `act` runs. Throws StoreTrouble. */
export async function withWriter<T>(
  context: WriteContext,
  act: (writer: Writer) => Promise<T>,
): Promise<T> {
  const writer = await openWriter(context)
  try {
    return await act(writer)
  } finally {
    writer.close()
  }
}

export async function openWriter(context: WriteContext): Promise<Writer & { close(): void }> {
  const { markerType } = await context.reader.capabilities()
  const { generateId } = context
  const database = openForeignSqlite({
    path: context.reader.path,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    clearEventType: markerType,
    clock: context.clock,
    ...(generateId === undefined ? {} : { generateId }),
  })
  return {
    close: () => database.close(),
    run: async (write) => {
      const giveUpAt = performance.now() + BUSY_PATIENCE_MS
      for (;;) {
        context.lock.assertUnlocked()
        try {
          return write(database)
        } catch (error) {
          if (!isLocked(error) || performance.now() > giveUpAt) throw error
        }
        await sleep(BUSY_RETRY_MS)
      }
    },
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreTrouble && error.trouble.kind === 'locked'
}
