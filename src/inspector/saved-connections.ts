import { readFileSync, renameSync } from 'node:fs'
import { z } from 'zod'

import { connectionSettings } from '../contract/connection-schemas.ts'
import type { KnownConnection } from '../contract/index.ts'
import { describeConnection, printConnection } from '../model/print-connection.ts'
import { StoreTrouble } from '../store/trouble.ts'
import { writeFileAtomically } from './recent-files.ts'

const savedConnection = z.object({
  databaseId: z.string().min(1),
  /** null: opened once, not saved. */
  name: z.string().nullable(),
  settings: connectionSettings,
  /** Epoch ms; null: not among the recent ones. */
  openedAt: z.number().nullable(),
})
const document = z.object({ version: z.literal(1), connections: z.array(savedConnection) })

export type SavedConnection = z.infer<typeof savedConnection>

/** So many that were opened once and not saved. */
const KEPT_UNSAVED = 30

/** The servers of this person, in one file. No secrets. */
export interface SavedConnections {
  all(): readonly SavedConnection[]
  find(databaseId: string): SavedConnection | undefined
  /** Adds or replaces one. Throws StoreTrouble `disk` when the file cannot be written. */
  put(connection: SavedConnection): void
  remove(databaseId: string): void
}

/** Read anew each time: another window or browser host may have written meanwhile. */
export function openSavedConnections(file: string): SavedConnections {
  const write = (connections: readonly SavedConnection[]): void => {
    const kept = withoutOldUnsaved(connections)
    onDisk(file, () =>
      writeFileAtomically(file, `${JSON.stringify({ version: 1, connections: kept }, null, 1)}\n`),
    )
  }
  const readOrNone = (): SavedConnection[] => {
    try {
      return read(file)
    } catch {
      return []
    }
  }
  return {
    all: readOrNone,
    find: (databaseId) => readOrNone().find((one) => one.databaseId === databaseId),
    put(connection) {
      // What cannot be read must not be replaced by a list of one.
      const others = onDisk(file, () => read(file)).filter(isOther(connection.databaseId))
      write([...others, connection])
    },
    remove(databaseId) {
      const all = onDisk(file, () => read(file))
      const others = all.filter(isOther(databaseId))
      if (others.length < all.length) write(others)
    },
  }
}

export function toKnownConnection(saved: SavedConnection): KnownConnection {
  const { settings } = saved
  return {
    kind: 'connection',
    ...saved,
    path: describeConnection(settings),
    environment: settings.environment,
    printed: printConnection(settings),
  }
}

function isOther(databaseId: string): (one: SavedConnection) => boolean {
  return (one) => one.databaseId !== databaseId
}

function withoutOldUnsaved(connections: readonly SavedConnection[]): readonly SavedConnection[] {
  const unsaved = connections.filter(({ name }) => name === null)
  const old = unsaved.toSorted((a, b) => (b.openedAt ?? 0) - (a.openedAt ?? 0)).slice(KEPT_UNSAVED)
  return connections.filter((one) => !old.includes(one))
}

/** A file that cannot be understood is kept aside as `<name>.damaged`. Throws when it cannot be read. */
function read(file: string): SavedConnection[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
  try {
    return document.parse(JSON.parse(text)).connections
  } catch {
    renameSync(file, `${file}.damaged`)
    return []
  }
}

function onDisk<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const trouble = { kind: 'disk', path: file, code: codeOf(error) } as const
    throw new StoreTrouble(trouble, { cause: error })
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null
}
