import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'

import type { KnownDatabase, KnownFile, OpenedDatabase } from '../contract/index.ts'
import { readRecentFiles, writeRecentFiles } from './recent-files.ts'
import type { RecentFile } from './recent-files.ts'
import { openSavedConnections, toKnownConnection } from './saved-connections.ts'
import type { SavedConnection, SavedConnections } from './saved-connections.ts'

const SHOWN = 12

type OpenedFile = Extract<OpenedDatabase, { kind: 'file' }>

/** The databases this host knows, files and servers. Nothing here opens one: only names and file facts are looked at. */
export interface Connections {
  readonly dataFolder: string
  /** Registers a path: absolute, `~/…`, or relative to the folder. Moves it to the head of the recent files. Never fails for a bad file. */
  open(path: string, relativeTo?: string): OpenedFile
  /** What an id stands for, also after a restart. */
  find(databaseId: string): OpenedDatabase | undefined
  /** Servers, saved or opened once. */
  readonly servers: SavedConnections
  /** Files and servers, newest first, at most 12, without the sample. */
  listRecent(): KnownDatabase[]
  /** Every `.a2/dev.db` in the start folder and above, nearest first. */
  listNearby(): KnownFile[]
  /** Takes an id off the list; an id that is not on it is fine. A saved server stays saved. */
  forget(databaseId: string): void
  /** The sample's place, whether it exists yet or not. Not among the recent files. */
  readonly sample: OpenedFile
  /** Called after the recent files changed here. */
  onChange(listener: () => void): void
}

interface ConnectionOptions {
  readonly dataFolder: string
  /** Absolute; relative paths and the look for `.a2/dev.db` start here. */
  readonly startFolder: string
  readonly home?: string
  readonly now?: () => number
}

export function openConnections(options: ConnectionOptions): Connections {
  const { dataFolder, startFolder, home = homedir(), now = Date.now } = options
  const recentPath = join(dataFolder, 'recent.json')
  const opened = new Map<string, OpenedFile>()
  const listeners = new Set<() => void>()
  const samplePath = toRealPath(join(dataFolder, 'sample', '.a2', 'dev.db'))
  const sample: OpenedFile = { ...toOpenedFile(samplePath), isSample: true }
  const saved = openSavedConnections(join(dataFolder, 'connections.json'))
  const tell = (): void => {
    for (const listener of listeners) listener()
  }

  const change = (update: (files: RecentFile[]) => RecentFile[]): void => {
    try {
      // Read anew each time: another window or browser host may have written meanwhile.
      writeRecentFiles(recentPath, update(readRecentFiles(recentPath)))
    } catch {
      // A data folder that cannot be written costs the list of recent files, not the work.
    }
    tell()
  }
  return {
    dataFolder,
    sample,
    servers: {
      ...saved,
      put(connection) {
        saved.put(connection)
        tell()
      },
      remove(databaseId) {
        saved.remove(databaseId)
        tell()
      },
    },
    open(path, relativeTo = startFolder) {
      const absolute = toRealPath(resolve(relativeTo, expandHome(path, home)))
      const entry = toOpenedFile(absolute)
      const { databaseId } = entry
      if (databaseId === sample.databaseId) return sample
      opened.set(databaseId, entry)
      const recent = { databaseId, path: absolute, openedAt: now() }
      change((files) => [recent, ...without(files, databaseId)])
      return entry
    },
    find(databaseId) {
      if (databaseId === sample.databaseId) return sample
      const known = opened.get(databaseId)
      if (known !== undefined) return known
      const recent = readRecentFiles(recentPath).find((file) => file.databaseId === databaseId)
      if (recent !== undefined) return { ...toOpenedFile(recent.path), databaseId }
      const server = saved.find(databaseId)
      return server && toOpenedConnection(server)
    },
    listRecent() {
      const files = readRecentFiles(recentPath).slice(0, SHOWN)
      return [
        ...saved
          .all()
          .filter(({ openedAt: at }) => at !== null)
          .map(toKnownConnection),
        ...files.map(({ path, openedAt }) => toKnownFile(path, openedAt, home)),
      ]
        .toSorted((a, b) => (b.openedAt ?? 0) - (a.openedAt ?? 0))
        .slice(0, SHOWN)
    },
    listNearby() {
      const openedAt = new Map(
        readRecentFiles(recentPath).map((file) => [file.databaseId, file.openedAt]),
      )
      return listNearby(startFolder).map((path) =>
        toKnownFile(path, openedAt.get(toDatabaseId(path)) ?? null, home),
      )
    },
    forget(databaseId) {
      opened.delete(databaseId)
      const server = saved.find(databaseId)
      if (server?.name === null) saved.remove(databaseId)
      else if (server !== undefined) saved.put({ ...server, openedAt: null })
      change((files) => without(files, databaseId))
    },
    onChange: (listener) => void listeners.add(listener),
  }
}

function without(files: readonly RecentFile[], databaseId: string): RecentFile[] {
  return files.filter((file) => file.databaseId !== databaseId)
}

/** Every existing `.a2/dev.db` in the folder and above, nearest first, as real paths. */
export function listNearby(folder: string): string[] {
  const found: string[] = []
  let current = resolve(folder)
  for (;;) {
    const candidate = join(current, '.a2', 'dev.db')
    if (factsOf(candidate)?.isFile() === true) found.push(toRealPath(candidate))
    const above = dirname(current)
    if (above === current) return found
    current = above
  }
}

function toOpenedFile(path: string): OpenedFile {
  return { kind: 'file', databaseId: toDatabaseId(path), path, isSample: false }
}

export function toOpenedConnection(server: SavedConnection): OpenedDatabase {
  const { kind, databaseId, path, name, environment } = toKnownConnection(server)
  return { kind, databaseId, path, name, environment, isSample: false }
}

/** The same for the same file, however it was named; safe in a URL. */
export function toDatabaseId(realPath: string): string {
  return createHash('sha256').update(realPath).digest('base64url').slice(0, 22)
}

/** Follows links as far as the path exists, so that a file that is not there (yet) keeps its id when it appears. */
function toRealPath(path: string): string {
  let existing = path
  const missing: string[] = []
  for (;;) {
    try {
      return join(realpathSync.native(existing), ...missing)
    } catch {
      const above = dirname(existing)
      if (above === existing) return path
      missing.unshift(basename(existing))
      existing = above
    }
  }
}

function expandHome(path: string, home: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}

function toKnownFile(path: string, openedAt: number | null, home: string): KnownFile {
  const file = factsOf(path)
  const changed = [file?.mtimeMs, factsOf(`${path}-wal`)?.mtimeMs].filter((at) => at !== undefined)
  return {
    kind: 'file',
    databaseId: toDatabaseId(path),
    path,
    shortPath: path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path,
    openedAt,
    exists: file !== undefined,
    sizeBytes: file?.size ?? null,
    changedAt: file === undefined ? null : Math.round(Math.max(...changed)),
  }
}

function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
