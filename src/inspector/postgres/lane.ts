import type { BoundedCount } from '../../model/session.ts'
import { COUNT_BOUND, type KnownWork, SCAN_ROWS } from '../queries/lane.ts'
import { toBoundedCount } from '../queries/sessions.ts'
import { type Stored, toCount } from '../sqlite-values.ts'
import type { PostgresSchema } from './schema.ts'

/** Rows looked at for the heads of all lanes of a page. */
const CANDIDATES = 5000

/** Names in a statement of what a lane is looked at with; each may be a parameter or a column. */
interface LaneSql {
  readonly session: string
  readonly lane: string
  readonly clearIndex: string
}

/** Says how the statement binds a value. */
type Bind = (value: unknown) => string

function isIndexed({ hasWorkIndex, hasLaneIndex }: PostgresSchema): boolean {
  return hasWorkIndex || hasLaneIndex
}

/**
 * Unfinished live events among which the heads of lanes are looked for: through an index, among those
 * the counting pass knows, or in the first rows of the lifetime. Columns idx, lane.
 */
export function candidatesSql(
  schema: PostgresSchema,
  at: Omit<LaneSql, 'lane'>,
  options: { readonly known: readonly number[] | null; readonly bind: Bind },
): string {
  const { events } = schema
  const { session, clearIndex } = at
  if (schema.hasWorkIndex) {
    return `select e.idx, e.lane from ${events.sql} e
      where e.session_id = ${session} and e.idx > ${clearIndex} and e.processed_at is null
      order by e.idx limit ${CANDIDATES}`
  }
  if (options.known !== null) {
    const known = options.bind(options.known.slice(0, CANDIDATES))
    return `select k.idx, e.lane from unnest(${known}::bigint[]) as k(idx)
      cross join lateral (select x.lane from ${events.sql} x where x.session_id = ${session}
        and x.idx = k.idx and x.processed_at is null limit 1) e where k.idx > ${clearIndex}`
  }
  return `select r.idx, r.lane from (select e.idx, e.lane, e.processed_at from ${events.sql} e
      where e.session_id = ${session} and e.idx > ${clearIndex} order by e.idx limit ${SCAN_ROWS}) r
    where r.processed_at is null`
}

/** The lowest unfinished live event of a lane; null when there is none, or none was found in bounded work. */
export function laneHeadSql(
  schema: PostgresSchema,
  at: LaneSql,
  options: { readonly known: readonly number[] | null; readonly bind: Bind },
): string {
  if (!isIndexed(schema)) {
    return `(select min(c.idx) from (${candidatesSql(schema, at, options)}) c where c.lane = ${at.lane})`
  }
  return `(select h.idx from ${schema.events.sql} h where h.session_id = ${at.session}
    and h.lane = ${at.lane} and h.idx > ${at.clearIndex} and h.processed_at is null
    order by h.idx limit 1)`
}

/** Unfinished live events of the lane with a higher index, and how many rows were looked at for them. */
export function waitingSql(schema: PostgresSchema, at: LaneSql & { index: string }): string {
  const above = `greatest(${at.clearIndex}, ${at.index})`
  if (isIndexed(schema)) {
    return `(select count(*) from (select 1 from ${schema.events.sql} w
      where w.session_id = ${at.session} and w.lane = ${at.lane} and w.idx > ${above}
        and w.processed_at is null order by w.idx limit ${COUNT_BOUND + 1}) w) as waiting, 0 as waiting_looked`
  }
  const looked = `(select w.lane, w.processed_at from ${schema.events.sql} w
    where w.session_id = ${at.session} and w.idx > ${above} order by w.idx limit ${SCAN_ROWS}) w`
  return `(select count(*) from ${looked} where w.processed_at is null and w.lane = ${at.lane})
      as waiting,
    (select count(*) from ${looked}) as waiting_looked`
}

export interface WaitingColumns {
  readonly waiting: Stored
  readonly waiting_looked: Stored
}

/** Where no index helps, what the counting pass knows is better than what the next rows say. */
export function toWaiting(
  row: WaitingColumns,
  of: {
    readonly schema: PostgresSchema
    readonly sessionId: string
    readonly lane: string
    readonly above: number
    readonly work: KnownWork | null
  },
): BoundedCount {
  if (isIndexed(of.schema)) return toBoundedCount(toCount(row.waiting), COUNT_BOUND)
  const known = of.work?.laneIndexes(of.sessionId, of.lane) ?? null
  if (known !== null) {
    return { count: known.filter((index) => index > of.above).length, isLowerBound: false }
  }
  return { count: toCount(row.waiting), isLowerBound: toCount(row.waiting_looked) === SCAN_ROWS }
}

/** What to bind for `known`; nothing where an index answers. */
export function knownIndexes(
  schema: PostgresSchema,
  sessionId: string,
  work: KnownWork | null,
): readonly number[] | null {
  return isIndexed(schema) ? null : (work?.sessionIndexes(sessionId) ?? null)
}
