import { sqliteAccess } from './actions/sqlite-access.ts'
import { assembleInspector, SYSTEM_CLOCK } from './assemble-inspector.ts'
import type { Inspector, InspectorOptions } from './assemble-inspector.ts'
import { fileWatch } from './change-watch.ts'
import { readStamp } from './file-watch.ts'
import { Meter } from './meter.ts'
import type { RemoteScans } from './scans/remote-scans.ts'
import { openSqliteReader } from './sqlite-reader.ts'
import { WriteLock } from './write-lock.ts'

/** Smaller files are listed and counted before anybody notices. */
const LARGE_BYTES = 64 * 1024 * 1024

export interface FileInspectorOptions extends InspectorOptions {
  /** Absolute path of the database file; it may be anything, or not exist. */
  readonly path: string
  /** The process beside this one that does the scanning; without one it is done here. */
  readonly remote?: RemoteScans
}

/**
 * Everything a screen can ask of a file. Opening reads nothing and never throws: a database that cannot be read
 * makes each procedure answer DATABASE_TROUBLE.
 */
export function openInspector(options: FileInspectorOptions): Inspector {
  const { path, remote, clock = SYSTEM_CLOCK } = options
  const meter = new Meter()
  const reader = openSqliteReader({ path, clock, meter })
  const dialect = {
    reader,
    foreign: sqliteAccess(path, meter),
    lock: new WriteLock(),
    openWatch: fileWatch(reader),
    walBytes: () => readStamp(path)?.walBytes ?? 0,
    isLarge: () => (readStamp(path)?.fileBytes ?? 0) >= LARGE_BYTES,
    ...(remote === undefined ? {} : { remote }),
  }
  return assembleInspector(dialect, options)
}
