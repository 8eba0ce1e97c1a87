import type { Scope } from '../handle.ts'
import { toClearIndex, toCount, toText, type Stored } from '../sqlite-values.ts'
import type { Judge } from './event-columns.ts'

/** The marker type of a database that has no marker to learn it from. */
export const DEFAULT_MARKER_TYPE = 'a2.session.cleared'

export interface MarkerType {
  readonly type: string
  readonly isLearned: boolean
}

/** The type of the event at some session's clear index. */
export function readMarkerType({ handle, schema }: Scope): MarkerType {
  if (schema.clears === null) return { type: DEFAULT_MARKER_TYPE, isLearned: false }
  const marker = handle.get<{ event_type: Stored }>(
    `select e.event_type from (select session_id, clear_index from a2_clears limit 200) c
     cross join a2_events e on e.session_id = c.session_id and e.idx = c.clear_index limit 1`,
  )
  if (marker === undefined) return { type: DEFAULT_MARKER_TYPE, isLearned: false }
  return { type: toText(marker.event_type), isLearned: true }
}

/** 0 when never cleared. */
export function readClearIndex({ handle, schema }: Scope, sessionId: string): number {
  if (schema.clears === null) return 0
  const row = handle.get<{ clear_index: Stored }>(
    'select clear_index from a2_clears where session_id = ?',
    [sessionId],
  )
  return toClearIndex(row?.clear_index ?? null)
}

/** 0 when the session has no event. */
export function readHead({ handle }: Scope, sessionId: string): number {
  const row = handle.get<{ head: Stored }>(
    'select max(idx) as head from a2_events where session_id = ?',
    [sessionId],
  )
  return toCount(row?.head ?? null)
}

export function readJudge(scope: Scope, sessionId: string): Judge {
  return {
    clearIndex: readClearIndex(scope, sessionId),
    markerType: readMarkerType(scope).type,
    now: scope.now,
  }
}
