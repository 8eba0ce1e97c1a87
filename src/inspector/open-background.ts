import { makeBackgroundRouter } from './background-router.ts'
import { readStamp } from './file-watch.ts'
import { Meter } from './meter.ts'
import { Pace } from './pace.ts'
import type { ScanPort } from './scans/messages.ts'
import { makeScanServer } from './scans/scan-server.ts'
import { Search } from './search.ts'
import { openSqliteReader } from './sqlite-reader.ts'

/** The half of a file's inspector that runs what takes long, in a process of its own. */
export interface BackgroundHalf {
  /** Implements `backgroundContract`; needs no context. */
  readonly router: ReturnType<typeof makeBackgroundRouter>
  /** Answers the other half. */
  serveScans(port: ScanPort): void
  close(): void
}

/** Opening reads nothing and never throws. `path`: absolute; it may be anything, or not exist. */
export function openBackgroundHalf(options: {
  readonly path: string
  readonly clock?: { now(): Date }
  readonly onDefect: (error: unknown) => void
}): BackgroundHalf {
  const { path, clock = { now: () => new Date() }, onDefect } = options
  const reader = openSqliteReader({ path, clock, meter: new Meter() })
  const pace = new Pace(
    () => readStamp(path)?.walBytes ?? 0,
    () => reader.effort.sliceMs(),
  )
  const scans = makeScanServer({ reader, pace, onDefect })
  return {
    router: makeBackgroundRouter({ search: new Search(reader, pace) }),
    serveScans: (port) => scans.serve(port),
    close: () => {
      pace.close()
      reader.close()
    },
  }
}
