import type { ClearPreview, ReclaimPreview, RedrivePreview } from '../../model/action.ts'
import type { SessionSnapshots } from '../../model/snapshot.ts'
import type { Scope } from '../handle.ts'
import { toText, type Stored } from '../sqlite-values.ts'
import { type EventKey, findEventRow } from './event.ts'
import { readClearIndex, readHead, readMarkerType } from './judge.ts'
import { countWaitingBehind, type KnownWork } from './lane.ts'
import { countToReclaim } from './sessions.ts'
import { readSnapshots } from './snapshots.ts'

/** Cleared events counted exactly before an action; reading their sizes costs more than counting them. */
export const RECLAIM_COUNT = 200_000
export const RECLAIM_SIZES = 5000
export const LANE_ROWS = 5000

/** What a clear would hide; undefined for a session without events. */
export function previewClear(
  scope: Scope,
  sessionId: string,
): Omit<ClearPreview, 'work'> | undefined {
  const head = readHead(scope, sessionId)
  if (head === 0) return undefined
  const clearIndex = readClearIndex(scope, sessionId)
  return toClearPreview({
    sessionId,
    head,
    clearIndex,
    snapshots: readSnapshots(scope, sessionId),
    needsClearsTable: scope.schema.clears === null,
    markerType: readMarkerType(scope).type,
  })
}

export function toClearPreview({
  snapshots,
  ...session
}: {
  readonly sessionId: string
  readonly head: number
  readonly clearIndex: number
  readonly snapshots: SessionSnapshots
  readonly needsClearsTable: boolean
  readonly markerType: string
}): Omit<ClearPreview, 'work'> {
  const { head, clearIndex } = session
  return {
    ...session,
    live: Math.max(0, head - clearIndex),
    snapshots: snapshots.reducers.flatMap(({ name, head: newest, history }) =>
      [...(newest === null ? [] : [newest]), ...history]
        .filter((snapshot) => !snapshot.isBelowMarker)
        .map(({ upToIndex, source }) => ({ reducer: name, upToIndex, isHead: source === 'head' })),
    ),
    isEmpty: head <= clearIndex,
  }
}

/** What reclaiming would delete for good; undefined for a session without events. */
export function previewReclaim(scope: Scope, sessionId: string): ReclaimPreview | undefined {
  if (readHead(scope, sessionId) === 0) return undefined
  const clearIndex = readClearIndex(scope, sessionId)
  const events = countToReclaim(scope, sessionId, clearIndex, RECLAIM_COUNT)
  const { schema } = scope
  const below = (table: string): number =>
    countBelow(
      scope,
      `select 1 from ${table} where session_id = ? and up_to_index < ?`,
      sessionId,
      clearIndex,
    )
  return {
    sessionId,
    clearIndex,
    events,
    payloadBytes:
      events.isLowerBound || events.count > RECLAIM_SIZES
        ? null
        : sumPayloads(scope, sessionId, clearIndex),
    snapshots:
      (schema.snapshots === null ? 0 : below('a2_snapshots')) +
      (schema.history === null ? 0 : below('a2_snapshot_history')),
    pins:
      schema.pins === null
        ? 0
        : countBelow(
            scope,
            `select 1 from a2_snapshot_pins
             where session_id = ? and min(event_index, up_to_index) < ?`,
            sessionId,
            clearIndex,
          ),
  }
}

function countBelow({ handle }: Scope, sql: string, sessionId: string, clearIndex: number): number {
  return (
    handle.get<{ n: number }>(`select count(*) as n from (${sql})`, [sessionId, clearIndex])?.n ?? 0
  )
}

function sumPayloads({ handle }: Scope, sessionId: string, clearIndex: number): number {
  return (
    handle.get<{ n: number | null }>(
      `select sum(octet_length(payload)) as n from a2_events where session_id = ? and idx < ?`,
      [sessionId, clearIndex],
    )?.n ?? 0
  )
}

/** What a retry or skip would do; undefined when the event is not stored. */
export function previewRedrive(
  scope: Scope,
  { action, ...key }: EventKey & { action: RedrivePreview['action'] },
  work: KnownWork | null,
): RedrivePreview | undefined {
  const row = findEventRow(scope, key, work)
  if (row === undefined) return undefined
  const clearIndex = readClearIndex(scope, key.sessionId)
  const isStillDead = row.state === 'dead'
  const isLive = row.lane !== null && row.index > clearIndex
  return {
    ...key,
    action,
    type: row.type,
    lane: row.lane,
    isStillDead,
    becomesReady:
      action === 'skip' && isStillDead && row.lane !== null
        ? findNextOfLane(scope, { ...key, lane: row.lane, clearIndex })
        : null,
    waitingBehind:
      isLive && row.lane !== null
        ? countWaitingBehind(scope, { ...key, lane: row.lane, clearIndex, work })
        : { count: 0, isLowerBound: false },
    lastErrorStart: row.lastErrorStart,
  }
}

/** The lowest unfinished live event of the lane but this one: what a skip makes ready. */
function findNextOfLane(
  { handle, schema }: Scope,
  of: EventKey & { lane: string; clearIndex: number },
): RedrivePreview['becomesReady'] {
  const columns = 'idx, event_type, lane, processed_at'
  const source = schema.hasWorkIndex
    ? 'a2_events where session_id = ? and idx > ?'
    : `(select ${columns} from a2_events where session_id = ? and idx > ? order by idx limit ${LANE_ROWS}) where true`
  const row = handle.get<{ idx: number; event_type: Stored }>(
    `select idx, event_type from ${source} and processed_at is null and lane = ? and idx <> ?
     order by idx limit 1`,
    [of.sessionId, of.clearIndex, of.lane, of.index],
  )
  return row === undefined ? null : { index: row.idx, type: toText(row.event_type) }
}
