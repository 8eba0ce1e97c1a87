import type { EventRow } from '../../model/event.ts'
import type { NewEvent } from '../../model/live.ts'
import type { Scope } from '../handle.ts'
import { toListName } from '../list-names.ts'
import { type Stored, toCount, toText } from '../sqlite-values.ts'
import {
  type EventColumns,
  eventSql,
  type Judge,
  readPayloadStart,
  toEventRow,
} from './event-columns.ts'
import { readJudge } from './judge.ts'
import { findLaneHead, type KnownWork } from './lane.ts'

export const MAX_WIDTH = 500
/** How much of long payloads a page reads to show their beginnings: about 17 ms. */
const LONG_PAYLOADS_BYTES = 32 * 1_048_576

/** Stored events with from ≤ index ≤ to, ascending; at most 500 indexes wide. */
export function readRange(
  scope: Scope,
  wanted: { sessionId: string; from: number; to: number },
  work: KnownWork | null,
): EventRow[] {
  const to = Math.min(wanted.to, wanted.from + MAX_WIDTH - 1)
  const judge = readJudge(scope, wanted.sessionId)
  const rows = scope.handle.all<EventColumns>(
    `select ${eventSql(scope.schema)} from a2_events
     where session_id = ? and idx >= ? and idx <= ? order by idx`,
    [wanted.sessionId, wanted.from, to],
  )
  return withBlockers(
    scope,
    { sessionId: wanted.sessionId, judge, work },
    withLongStarts(scope, wanted.sessionId, rows).map((row) => toEventRow(row, judge, scope)),
  )
}

function withLongStarts(
  scope: Scope,
  sessionId: string,
  rows: readonly EventColumns[],
): EventColumns[] {
  let left = LONG_PAYLOADS_BYTES
  return rows.map((row) => {
    if (row.payload_start !== null || row.payload_bytes === null) return row
    left -= row.payload_bytes
    return left < 0
      ? row
      : { ...row, payload_start: readPayloadStart(scope, sessionId, toCount(row.idx)) }
  })
}

/** Rows with `blockedBy` filled in, looking at each lane once. */
export function withBlockers(
  scope: Scope,
  at: { sessionId: string; judge: Judge; work: KnownWork | null },
  rows: readonly EventRow[],
): EventRow[] {
  const heads = new Map<string, number | null>()
  return rows.map((row) => {
    if (row.state !== 'blocked' || row.lane === null) return row
    let head = heads.get(row.lane)
    if (head === undefined) {
      head = findLaneHead(scope, { ...at, lane: row.lane, clearIndex: at.judge.clearIndex })
      heads.set(row.lane, head)
    }
    return { ...row, blockedBy: head !== null && head < row.index ? head : null }
  })
}

/** The names of events with from ≤ index ≤ to, ascending. */
export function readRefs(
  { handle }: Scope,
  { sessionId, from, to }: { sessionId: string; from: number; to: number },
): NewEvent[] {
  return handle
    .all<{ idx: number; event_type: Stored }>(
      `select idx, event_type from a2_events
       where session_id = ? and idx >= ? and idx <= ? order by idx`,
      [sessionId, from, to],
    )
    .map((row) => ({ sessionId, index: row.idx, type: toListName(toText(row.event_type)) }))
}
