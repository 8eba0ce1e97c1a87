import { createRouterClient } from '@orpc/server'

import { EarlyCounts } from '../../src/inspector/early-counts.ts'
import { openInspector } from '../../src/inspector/open-inspector.ts'
import { Meter } from '../../src/inspector/meter.ts'
import { Pace } from '../../src/inspector/pace.ts'
import type { Reader } from '../../src/inspector/reader.ts'
import { SessionIndex } from '../../src/inspector/session-index.ts'
import { openSqliteReader } from '../../src/inspector/sqlite-reader.ts'
import { WorkIndex } from '../../src/inspector/work-index.ts'
import type { Bench } from '../bench-run.ts'

const clock = { now: () => new Date() }

export function openReader(path: string): Reader {
  return openSqliteReader({ path, clock, meter: new Meter() })
}

function paceOf(reader: Reader): Pace {
  return new Pace(
    () => 0,
    () => reader.effort.sliceMs(),
  )
}

export function sessionIndexOf(reader: Reader): SessionIndex {
  return new SessionIndex(reader, paceOf(reader))
}

export function workIndexOf(reader: Reader): WorkIndex {
  return new WorkIndex(reader, paceOf(reader))
}

export function earlyCountsOf(reader: Reader): EarlyCounts {
  return new EarlyCounts(reader, paceOf(reader))
}

/** What the screens talk to, without a transport. */
export function openClient(bench: Bench, path: string) {
  const inspector = openInspector({ path, dataFolder: bench.folder('data') })
  return { client: createRouterClient(inspector.router), close: () => inspector.close() }
}

export type Client = ReturnType<typeof openClient>['client']

/** What the list of sessions asks for at first. */
export function recentFirst() {
  return { sort: 'activity' as const, direction: 'desc' as const, text: '', chips: [] }
}
