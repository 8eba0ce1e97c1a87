import { setTimeout as sleep } from 'node:timers/promises'

import type { ForeignDatabase } from '../../store/foreign.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import type { Reader } from '../reader.ts'
import type { WriteLock } from '../write-lock.ts'

export interface ForeignOptions {
  /** The marker type of this database. */
  readonly clearEventType: string
  /** The database's clock. */
  readonly clock: { now(): Date }
  readonly generateId?: () => string
}

/** How a dialect is written to. */
export interface ForeignAccess {
  /** For a write or two; close it soon. Throws StoreTrouble. */
  open(options: ForeignOptions): ForeignDatabase & { close(): void }
  /** How long to try again while someone else holds the lock; null where the database itself waits. */
  readonly lockPatienceMs: number | null
}

const LOCK_RETRY_MS = 50

export interface WriteContext {
  readonly reader: Reader
  readonly foreign: ForeignAccess
  readonly generateId?: () => string
  readonly lock: WriteLock
}

/** A handle that writes; each call of `run` is one transaction, tried again while someone else holds the lock. Throws WritingLocked when the person switched writing off meanwhile. */
export interface Writer {
  readonly run: <T>(write: (database: ForeignDatabase) => T | Promise<T>) => Promise<T>
}

/** Opens the database for writing as long as `act` runs. Throws StoreTrouble. */
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
  const { reader, foreign, generateId } = context
  const { markerType } = await reader.capabilities()
  const database = foreign.open({
    clearEventType: markerType,
    clock: { now: () => new Date(reader.now()) },
    ...(generateId === undefined ? {} : { generateId }),
  })
  return {
    close: () => database.close(),
    run: async (write) => {
      const giveUpAt = performance.now() + (foreign.lockPatienceMs ?? 0)
      for (;;) {
        context.lock.assertUnlocked()
        try {
          return await write(database)
        } catch (error) {
          if (!isLocked(error) || performance.now() > giveUpAt) throw error
        }
        await sleep(LOCK_RETRY_MS)
      }
    },
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreTrouble && error.trouble.kind === 'locked'
}
