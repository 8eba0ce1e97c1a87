import type { Scope } from '../handle.ts'
import type { SessionHead } from '../reader.ts'
import { readMarkerType } from './judge.ts'
import { readSummaries } from './sessions.ts'
import { readReducers } from './snapshots.ts'

/** One session's summary and reducers; undefined for a session without events. */
export function findSession(scope: Scope, sessionId: string): SessionHead | undefined {
  const [summary] = readSummaries(scope, [sessionId])
  if (!summary) return undefined
  return {
    head: summary.head,
    clearIndex: summary.clearIndex,
    markerType: readMarkerType(scope).type,
    summary,
    reducers: readReducers(scope, sessionId),
    readAt: scope.now,
  }
}
