import { type BigIntStats, type FSWatcher, lstatSync, realpathSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** What the file system says about a database file alone. Names and numbers only, never contents. */
export interface FileState {
  /** The same as long as it is the same file, even under another's name. */
  readonly identity: string
  /** Not a folder, a pipe or a device. */
  readonly isFile: boolean
  readonly fileBytes: number
  /** Changes whenever something was written to the file, but for `blindMs`. */
  readonly fileState: string
  /** When the file itself was last written to, epoch ms by the file system's clock. */
  readonly writtenAt: number
  /** File times are coarse: so long after a write another one may leave the same `state`. */
  readonly blindMs: number
}

/** The same, and of its -wal. */
export interface FileStamp extends FileState {
  /** null without a -wal. */
  readonly walBytes: number | null
  /** As `fileState`, for both. */
  readonly state: string
}

const BLIND_MS = { fine: 50, wholeSeconds: 2500 }

/** null when the file does not exist (or may not be looked at). */
export function readStamp(path: string): FileStamp | null {
  const entry = find(path, lstatSync)
  const isLink = entry?.isSymbolicLink() === true
  const file = isLink ? find(path) : entry
  if (file === null) return null
  const wal = find(`${isLink ? realPath(path) : path}-wal`)
  return {
    ...toFileState(file),
    walBytes: wal === null ? null : Number(wal.size),
    state: `${toState(file)}|${wal === null ? '' : toState(wal)}`,
  }
}

/** null when the file does not exist (or may not be looked at). */
export function readFileState(path: string): FileState | null {
  const file = find(path)
  return file === null ? null : toFileState(file)
}

function toFileState(file: BigIntStats): FileState {
  return {
    identity: toIdentity(file),
    isFile: file.isFile(),
    fileBytes: Number(file.size),
    fileState: toState(file),
    writtenAt: Number(file.mtimeMs),
    blindMs: file.mtimeNs % 1_000_000_000n === 0n ? BLIND_MS.wholeSeconds : BLIND_MS.fine,
  }
}

/** Its `identity` alone. */
export function readIdentity(path: string): string | null {
  const file = find(path)
  return file === null ? null : toIdentity(file)
}

/** Inode numbers are used again at once by some file systems, so the birth counts too. */
function toIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`
}

function toState({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`
}

/** SQLite follows links: the -wal is beside the file itself. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

function find(path: string, look: typeof statSync = statSync): BigIntStats | null {
  try {
    return look(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Calls `onChange` when the folder says that the file, its -wal or its journal was touched. Follows links as they are now. */
export function watchFile(path: string, onChange: () => void): { close(): void } {
  const file = realPath(path)
  const name = basename(file)
  const names = new Set([name, `${name}-wal`, `${name}-journal`])
  let watcher: FSWatcher | null = null
  const stop = (): void => {
    watcher?.close()
    watcher = null
  }
  try {
    // The folder, not the file: a -wal is deleted and made anew, a file is replaced by a rename.
    watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === null || names.has(changed)) onChange()
    })
    watcher.on('error', stop)
  } catch {
    // No folder, or one that cannot be watched (some network drives): the poll is enough.
    stop()
  }
  return { close: stop }
}
