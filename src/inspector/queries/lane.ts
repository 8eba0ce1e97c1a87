import type { BoundedCount } from '../../model/session.ts'
import type { Scope } from '../handle.ts'

/** Rows to look at where no index helps. */
export const SCAN_ROWS = 2000
export const COUNT_BOUND = 1000

/** Unfinished events that the counting pass knows. Complete up to its last refresh; rows may have finished since. */
export interface KnownWork {
  /** Indexes of a session's lane, ascending; null when the pass has not seen the whole table. */
  laneIndexes(sessionId: string, lane: string): readonly number[] | null
  /** The same of all lanes together and of none. */
  sessionIndexes(sessionId: string): readonly number[] | null
}

export interface LaneOf {
  readonly sessionId: string
  readonly lane: string
  readonly clearIndex: number
  readonly work: KnownWork | null
}

/** The lowest unfinished live event of a lane; null when there is none, or none was found in bounded work. */
export function findLaneHead(scope: Scope, of: LaneOf): number | null {
  if (scope.schema.hasWorkIndex) return lowestUnfinished(scope, of)
  const known = of.work?.laneIndexes(of.sessionId, of.lane)
  // An unfinished event never appears below known ones, so the first known one that still holds is the lowest.
  if (known) {
    return known.slice(0, SCAN_ROWS).find((index) => isUnfinished(scope, of, index)) ?? null
  }
  return lowestInFirstRows(scope, of)
}

function lowestUnfinished({ handle }: Scope, { sessionId, lane, clearIndex }: LaneOf) {
  return (
    handle.get<{ idx: number }>(
      `select idx from a2_events
       where session_id = ? and lane = ? and idx > ? and processed_at is null order by idx limit 1`,
      [sessionId, lane, clearIndex],
    )?.idx ?? null
  )
}

function isUnfinished({ handle }: Scope, { sessionId, lane, clearIndex }: LaneOf, index: number) {
  if (index <= clearIndex) return false
  const row = handle.get(
    `select 1 from a2_events where session_id = ? and idx = ? and lane = ? and processed_at is null`,
    [sessionId, index, lane],
  )
  return row !== undefined
}

function lowestInFirstRows({ handle }: Scope, { sessionId, lane, clearIndex }: LaneOf) {
  return (
    handle.get<{ idx: number }>(
      `select idx from (select idx, lane, processed_at from a2_events
         where session_id = ? and idx > ? order by idx limit ${SCAN_ROWS})
       where processed_at is null and lane = ? order by idx limit 1`,
      [sessionId, clearIndex, lane],
    )?.idx ?? null
  )
}

/** Unfinished live events of the lane with a higher index. */
export function countWaitingBehind(scope: Scope, of: LaneOf & { index: number }): BoundedCount {
  if (scope.schema.hasWorkIndex) return countThroughIndex(scope, of)
  const known = of.work?.laneIndexes(of.sessionId, of.lane)
  if (known) {
    const floor = Math.max(of.index, of.clearIndex)
    return { count: known.filter((index) => index > floor).length, isLowerBound: false }
  }
  return countInNextRows(scope, of)
}

function countThroughIndex({ handle }: Scope, of: LaneOf & { index: number }): BoundedCount {
  const found = handle.all(
    `select 1 from a2_events
     where session_id = ? and lane = ? and idx > ? and processed_at is null limit ${COUNT_BOUND + 1}`,
    [of.sessionId, of.lane, Math.max(of.index, of.clearIndex)],
  ).length
  return { count: Math.min(found, COUNT_BOUND), isLowerBound: found > COUNT_BOUND }
}

function countInNextRows({ handle }: Scope, of: LaneOf & { index: number }): BoundedCount {
  const rows = handle.all<{ is_waiting: number }>(
    `select processed_at is null and lane = ? as is_waiting from a2_events
     where session_id = ? and idx > ? order by idx limit ${SCAN_ROWS}`,
    [of.lane, of.sessionId, Math.max(of.index, of.clearIndex)],
  )
  return {
    count: rows.filter((row) => row.is_waiting === 1).length,
    isLowerBound: rows.length === SCAN_ROWS,
  }
}
