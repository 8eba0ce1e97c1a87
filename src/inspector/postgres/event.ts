import type { CauseLink, EventDetail, LaneStanding, TextPart } from '../../model/event.ts'
import { STATE_SQL, type Judge, type StateColumns, toEventRef } from '../queries/event-columns.ts'
import {
  type EventKey,
  FIRST_PART_BYTES,
  MAX_CAUSES,
  MAX_EFFECTS,
  MAX_ERROR_BYTES,
  NEXT_PART_BYTES,
} from '../queries/event.ts'
import type { KnownWork } from '../queries/lane.ts'
import { type Stored, toCause, toCount, toIds, toTextOrNull } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { causeIndexSql, E_STATE_SQL, eventFrom, eventSql, isCausedBySql } from './event-columns.ts'
import { knownIndexes, laneHeadSql, toWaiting, type WaitingColumns, waitingSql } from './lane.ts'
import { asRows, atSql, headSql, makeBinder, parseMade, toJudge } from './pieces.ts'
import type { PostgresSchema } from './schema.ts'
import { lengthOf, type PartColumns, textPartSql, toPart } from './text-part.ts'
import { type JudgedColumns, toJudgedRow } from './timeline.ts'
import { toUnknown, unknownSql } from './unknown-columns.ts'

/** Rows after an event looked at for what it caused. */
const EFFECT_ROWS = 3000
/** No payload is too large for the one event that is looked at. */
const ANY_SIZE = 2_000_000_000
const MAX_IDS_BYTES = 1_000_000

type DetailColumns = JudgedColumns &
  PartColumns &
  WaitingColumns & {
    readonly head: Stored
    readonly last_error: Stored
    readonly returned_event_ids: Stored
    readonly causes: Stored
    readonly effects: Stored
    readonly looked: Stored
    readonly looked_through: Stored
  }

/** One event; undefined when it is not stored. */
export function findEvent(
  scope: PostgresScope,
  key: EventKey,
  work: KnownWork | null,
): Question<EventDetail | undefined> {
  const { schema } = scope
  const { params, bind } = makeBinder(key.sessionId, key.index, lengthOf(FIRST_PART_BYTES))
  const at = { session: '$1', lane: 'one.lane', clearIndex: '(select clear_index from at)' }
  const known = knownIndexes(schema, key.sessionId, work)
  return {
    sql: `with recursive ${atSql(schema, '$1')},
      one as materialized (
        select ${eventSql(schema)}, ${textPartSql('e.payload', 'p.text', { offset: '0', length: '$3' })}
          ${optionalSql(schema)}${unknownSql(schema.events, 'e')}
        from ${eventFrom(schema, ANY_SIZE)}
        where e.session_id = $1 and e.idx = $2::bigint),
      ${chainSql(schema)},
      looked as materialized (select ${E_STATE_SQL}, e.cause from ${schema.events.sql} e
        where e.session_id = $1 and e.idx > $2::bigint order by e.idx limit ${EFFECT_ROWS}),
      effects as (select ${STATE_SQL}, cause from looked
        where ${isCausedBySql(schema, 'cause', '$2::bigint')} order by idx limit ${MAX_EFFECTS})
      select one.*, at.*, ${headSql(schema, '$1')} as head,
        case when one.lane is not null
          then ${laneHeadSql(schema, at, { known, bind })} end as lane_head,
        ${waitingSql(schema, { ...at, index: 'one.idx' })},
        (select json_agg(c order by c.n) from causes c) as causes,
        (select json_agg(f order by f.idx) from effects f) as effects,
        (select count(*) from looked) as looked, (select max(idx) from looked) as looked_through
      from one cross join at`,
    params,
    read: (rows) => {
      const [row] = asRows<DetailColumns>(rows)
      return row === undefined ? undefined : toDetail(row, { scope, key, work })
    },
  }
}

function optionalSql({ events }: PostgresSchema): string {
  const error = events.columns.has('last_error')
    ? `left(e.last_error::text, ${MAX_ERROR_BYTES})`
    : 'null::text'
  const ids = events.columns.has('returned_event_ids')
    ? `case when pg_column_size(e.returned_event_ids) <= ${MAX_IDS_BYTES}
         then e.returned_event_ids::text end`
    : 'null::text'
  return `, ${error} as last_error, ${ids} as returned_event_ids`
}

/** The chain of causes, nearest first, with the event of each where it is stored. */
function chainSql(schema: PostgresSchema): string {
  const { sql } = schema.events
  const step = (columns: string) => `lateral (select ${columns} from ${sql} e
    where e.session_id = $1 and e.idx = ${causeIndexSql(schema, 'chain.cause')} limit 1)`
  return `chain(n, cause) as (
      select 1, one.cause from one where one.cause is not null
      union all
      select chain.n + 1, x.cause from chain cross join ${step('e.cause::text as cause')} x
       where chain.n < ${MAX_CAUSES} and x.cause is not null),
    causes as (select chain.n, chain.cause as link, s.* from chain
      left join ${step(E_STATE_SQL)} s on true)`
}

function toDetail(
  row: DetailColumns,
  of: { scope: PostgresScope; key: EventKey; work: KnownWork | null },
): EventDetail {
  const { scope, key, work } = of
  const judge = toJudge(row, scope)
  const event = toJudgedRow(row, scope)
  const head = toCount(row.head)
  return {
    ...event,
    sessionId: key.sessionId,
    clearIndex: judge.clearIndex,
    head,
    payload: toPart(row, { offsetBytes: 0, maxBytes: FIRST_PART_BYTES }),
    lastError: toTextOrNull(row.last_error),
    returnedEventIds: toIds(row.returned_event_ids),
    laneStanding: toStanding(row, { ...of, clearIndex: judge.clearIndex, work }),
    causes: toCauses(row.causes, judge),
    ...toEffects(row, { judge, head, index: event.index }),
    unknownColumns: toUnknown(row, scope.schema.events),
    readAt: judge.now,
  }
}

function toStanding(
  row: DetailColumns,
  of: { scope: PostgresScope; key: EventKey; clearIndex: number; work: KnownWork | null },
): LaneStanding | null {
  const name = toTextOrNull(row.lane)
  const { sessionId, index } = of.key
  if (name === null || index <= of.clearIndex) return null
  const { schema } = of.scope
  const waiting = toWaiting(row, { schema, sessionId, lane: name, above: index, work: of.work })
  return {
    name,
    headIndex: row.lane_head === null ? null : toCount(row.lane_head),
    waitingBehind: waiting.count,
    isWaitingBehindLowerBound: waiting.isLowerBound,
  }
}

type Linked = StateColumns & { readonly link: unknown }

function toCauses(stored: Stored, judge: Judge): CauseLink[] {
  return (parseMade<readonly Linked[]>(stored) ?? []).flatMap((linked) => {
    const cause = toCause(typeof linked.link === 'string' ? linked.link : null)
    if (cause === null) return []
    return [{ ...cause, event: linked.idx === null ? null : toEventRef(linked, judge) }]
  })
}

type Caused = StateColumns & { readonly cause: unknown }

function toEffects(
  row: DetailColumns,
  at: { judge: Judge; head: number; index: number },
): Pick<EventDetail, 'effects' | 'effectsThroughIndex'> {
  const effects = (parseMade<readonly Caused[]>(row.effects) ?? []).flatMap((caused) => {
    const cause = toCause(JSON.stringify(caused.cause))
    if (cause === null) return []
    return [{ ...toEventRef(caused, at.judge), attempt: cause.attempt }]
  })
  const isFull = effects.length === MAX_EFFECTS
  const isEnd = toCount(row.looked) < EFFECT_ROWS
  const lookedThrough = isEnd ? at.head : toCount(row.looked_through)
  return {
    effects,
    effectsThroughIndex: isFull ? (effects.at(-1)?.index ?? lookedThrough) : lookedThrough,
  }
}

/** The next part of a payload, or of what another table holds; undefined when there is no such row. */
export function findText(
  wanted: {
    /** SQL of this program, never anything from outside. Parameters begin with the third. */
    readonly column: string
    readonly from: string
    readonly params: readonly unknown[]
    readonly offsetBytes: number
  },
  maxBytes = NEXT_PART_BYTES,
): Question<TextPart | undefined> {
  const { column, from, params, offsetBytes } = wanted
  return {
    sql: `select ${textPartSql(`e.${column}`, 'p.text', { offset: '$1', length: '$2' })}
      from ${from} cross join lateral (select e.${column}::text as text offset 0) p`,
    params: [offsetBytes, lengthOf(maxBytes), ...params],
    read: (rows) => {
      const [row] = asRows<PartColumns>(rows)
      return row === undefined ? undefined : toPart(row, { offsetBytes, maxBytes })
    },
  }
}

export function findPayload(
  { schema: { events } }: PostgresScope,
  key: EventKey & { offsetBytes: number },
): Question<TextPart | undefined> {
  return findText({
    column: 'payload',
    from: `(select payload from ${events.sql} where session_id = $3 and idx = $4::bigint) e`,
    params: [key.sessionId, key.index],
    offsetBytes: key.offsetBytes,
  })
}

/** Where an event id lives, in the whole table or in a range of blocks; null when nowhere. */
export function locateEvent(
  { schema: { events } }: PostgresScope,
  eventId: string,
  blocks?: { readonly from: number; readonly before: number },
): Question<EventKey | null> {
  const inBlocks = blocks === undefined ? '' : 'and ctid >= $2::tid and ctid < $3::tid'
  return {
    sql: `select session_id, idx from ${events.sql} where event_id = $1 ${inBlocks} limit 1`,
    params:
      blocks === undefined ? [eventId] : [eventId, `(${blocks.from},0)`, `(${blocks.before},0)`],
    read: (rows) => {
      const [row] = asRows<{ session_id: string; idx: Stored }>(rows)
      return row === undefined ? null : { sessionId: row.session_id, index: toCount(row.idx) }
    },
  }
}
