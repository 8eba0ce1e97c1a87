import type { CauseLink, EventDetail, EventRow, LaneStanding, TextPart } from '../../model/event.ts'
import type { Scope } from '../handle.ts'
import { decode, type Stored, toCause, toCount, toIds, toText } from '../sqlite-values.ts'
import {
  type EventColumns,
  eventSql,
  type Judge,
  STATE_SQL,
  type StateColumns,
  toEventRef,
  toEventRow,
} from './event-columns.ts'
import { readHead, readJudge } from './judge.ts'
import { countWaitingBehind, findLaneHead, type KnownWork } from './lane.ts'
import { findTextPart } from './text-part.ts'
import { withBlockers } from './timeline.ts'
import { readUnknownColumns } from './unknown-columns.ts'

export const FIRST_PART_BYTES = 256 * 1024
export const NEXT_PART_BYTES = 1024 * 1024
export const MAX_ERROR_BYTES = 256 * 1024
export const MAX_CAUSES = 20
export const MAX_EFFECTS = 100
const EFFECT_ROWS = 1000
const EFFECT_MS = 10

export interface EventKey {
  readonly sessionId: string
  readonly index: number
}

interface SessionAt {
  readonly sessionId: string
  readonly judge: Judge
  readonly work: KnownWork | null
}

const WHERE = 'where session_id = ? and idx = ?'

/** One event; undefined when it is not stored. */
export function findEvent(
  scope: Scope,
  key: EventKey,
  work: KnownWork | null,
): EventDetail | undefined {
  const row = findEventRow(scope, key, work)
  const payload = findPayload(scope, { ...key, offsetBytes: 0 }, FIRST_PART_BYTES)
  if (row === undefined || payload === undefined) return undefined
  const at = { sessionId: key.sessionId, judge: readJudge(scope, key.sessionId), work }
  const head = readHead(scope, key.sessionId)
  return {
    ...row,
    sessionId: key.sessionId,
    clearIndex: at.judge.clearIndex,
    head,
    payload,
    ...readOptionalColumns(scope, key),
    laneStanding: readLaneStanding(scope, at, row),
    causes: readCauses(scope, at, row),
    ...readEffects(scope, at, { index: row.index, head }),
    unknownColumns:
      readUnknownColumns(scope, scope.schema.events, `a2_events ${WHERE}`, [
        key.sessionId,
        key.index,
      ])[0] ?? [],
    readAt: scope.now,
  }
}

/** The same as a list shows it. */
export function findEventRow(
  scope: Scope,
  key: EventKey,
  work: KnownWork | null,
): EventRow | undefined {
  const stored = scope.handle.get<EventColumns>(
    `select ${eventSql(scope.schema)} from a2_events ${WHERE}`,
    [key.sessionId, key.index],
  )
  if (stored === undefined) return undefined
  const judge = readJudge(scope, key.sessionId)
  const row = toEventRow(stored, judge, scope)
  return withBlockers(scope, { sessionId: key.sessionId, judge, work }, [row])[0]
}

export function findPayload(
  scope: Scope,
  key: EventKey & { offsetBytes: number },
  maxBytes = NEXT_PART_BYTES,
): TextPart | undefined {
  return findTextPart(scope, {
    column: 'payload',
    from: `a2_events ${WHERE}`,
    params: [key.sessionId, key.index],
    offsetBytes: key.offsetBytes,
    maxBytes,
  })
}

function readOptionalColumns(
  { handle, schema }: Scope,
  { sessionId, index }: EventKey,
): Pick<EventDetail, 'lastError' | 'returnedEventIds'> {
  const { columns } = schema.events
  const error = columns.has('last_error')
    ? `substr(cast(last_error as blob), 1, ${MAX_ERROR_BYTES})`
    : 'null'
  const ids = columns.has('returned_event_ids') ? 'returned_event_ids' : 'null'
  const row = handle.get<{ error: Buffer | null; ids: Stored }>(
    `select ${error} as error, ${ids} as ids from a2_events ${WHERE}`,
    [sessionId, index],
  )
  return {
    lastError: row?.error ? decode(row.error, schema.encoding) : null,
    returnedEventIds: toIds(row?.ids ?? null),
  }
}

function readLaneStanding(scope: Scope, at: SessionAt, row: EventRow): LaneStanding | null {
  if (row.lane === null || row.index <= at.judge.clearIndex) return null
  const of = { ...at, lane: row.lane, clearIndex: at.judge.clearIndex, index: row.index }
  const waiting = countWaitingBehind(scope, of)
  return {
    name: row.lane,
    headIndex: findLaneHead(scope, of),
    waitingBehind: waiting.count,
    isWaitingBehindLowerBound: waiting.isLowerBound,
  }
}

function readCauses(scope: Scope, at: SessionAt, row: EventRow): CauseLink[] {
  const links: CauseLink[] = []
  let cause = row.cause
  while (cause !== null && links.length < MAX_CAUSES) {
    const stored: (StateColumns & { cause: Stored }) | undefined = scope.handle.get(
      `select ${STATE_SQL}, cause from a2_events ${WHERE}`,
      [at.sessionId, cause.index],
    )
    links.push({ ...cause, event: stored === undefined ? null : toEventRef(stored, at.judge) })
    cause = stored === undefined ? null : toCause(stored.cause)
  }
  return links
}

/** Looks through the events after this one for as long as it may take. */
function readEffects(
  scope: Scope,
  at: SessionAt,
  { index, head }: { index: number; head: number },
): Pick<EventDetail, 'effects' | 'effectsThroughIndex'> {
  const effects: EventDetail['effects'][number][] = []
  const stopAt = performance.now() + EFFECT_MS
  let through = index
  while (through < head && effects.length < MAX_EFFECTS && performance.now() < stopAt) {
    const rows = scope.handle.all<StateColumns & { cause: Stored }>(
      `select ${STATE_SQL}, cause from a2_events
       where session_id = ? and idx > ? order by idx limit ${EFFECT_ROWS}`,
      [at.sessionId, through],
    )
    if (rows.length === 0) return { effects, effectsThroughIndex: head }
    for (const row of rows) {
      through = toCount(row.idx)
      const cause = toCause(row.cause)
      if (cause?.index !== index) continue
      effects.push({ ...toEventRef(row, at.judge), attempt: cause.attempt })
      if (effects.length === MAX_EFFECTS) break
    }
  }
  return { effects, effectsThroughIndex: through }
}

/** Where an event id lives, in the whole table or in a range of rowids; null when nowhere. */
export function locateEvent(
  { handle, schema }: Scope,
  eventId: string,
  range?: { above: number; through: number },
): EventKey | null {
  const { rowid } = schema.events
  const inRange = range === undefined ? '' : `and ${rowid} > ? and ${rowid} <= ?`
  const params = range === undefined ? [eventId] : [eventId, range.above, range.through]
  const row = handle.get<{ session_id: Stored; idx: Stored }>(
    `select session_id, idx from a2_events
     where event_id = ? ${inRange} limit 1`,
    params,
  )
  return row === undefined ? null : { sessionId: toText(row.session_id), index: toCount(row.idx) }
}
