import type { SessionHead, SummaryWithoutWork } from '../reader.ts'
import {
  BELOW_MARKER_ROWS,
  type ListedColumns,
  type ListedSession,
  RECLAIM_BOUND,
  type SessionPage,
  toBoundedCount,
  toListed,
  toPastCounts,
} from '../queries/sessions.ts'
import { type Stored, toCount, toTime } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, IDS_SQL, markerTypeSql, NOW_SQL, parseMade, toMarkerType } from './pieces.ts'
import type { PostgresSchema } from './schema.ts'

const LISTED_SQL = 's.id, h.head, h.last_at, c.clear_index'

/** One step of the primary key a fact: limits with an order keep the planner from reading the table instead. */
function listedJoins({ events, clears }: PostgresSchema): string {
  const clearIndex =
    clears === null
      ? 'cross join (select 0::bigint as clear_index) c'
      : `left join lateral (select k.clear_index from ${clears.sql} k
           where k.session_id = s.id limit 1) c on true`
  return `left join lateral (select e.idx as head, e.created_at as last_at from ${events.sql} e
      where e.session_id = s.id order by e.idx desc limit 1) h on true
    ${clearIndex}`
}

/** The ids from one on, in the order of the primary key. The limit is inside: outside it would come too late. */
function walkSql({ events }: PostgresSchema, from: string, limit: string): string {
  return `with recursive s(id, n) as (
      select (select min(session_id) from ${events.sql} ${from}), 1
      union all
      select (select min(e.session_id) from ${events.sql} e where e.session_id > s.id), s.n + 1
        from s where s.id is not null and s.n < ${limit}::int)`
}

/** A page of all sessions in the order of the primary key, whatever collation that has. */
export function sessionPage(
  { schema }: PostgresScope,
  after: string | null,
  limit: number,
): Question<SessionPage> {
  const [from, bound] = after === null ? ['', '$1'] : ['where session_id > $1', '$2']
  return {
    sql: `${walkSql(schema, from, bound)}
      select ${LISTED_SQL} from s ${listedJoins(schema)} where s.id is not null order by s.n`,
    params: after === null ? [limit] : [after, limit],
    read: (rows) => {
      const sessions = asRows<ListedColumns>(rows).map(toListed)
      return { sessions, next: sessions.length < limit ? null : (sessions.at(-1)?.id ?? null) }
    },
  }
}

/** Listed values of these sessions; ids without events are left out. */
export function listed(
  { schema }: PostgresScope,
  ids: readonly string[],
): Question<ListedSession[]> {
  return {
    sql: `select ${LISTED_SQL} from ${IDS_SQL} ${listedJoins(schema)}
      where h.head is not null order by s.n`,
    params: [ids],
    read: (rows) => asRows<ListedColumns>(rows).map(toListed),
  }
}

/** The id that comes right before each of these in the database's order; null for the first of all. */
export function predecessors(
  { schema: { events } }: PostgresScope,
  ids: readonly string[],
): Question<(string | null)[]> {
  return {
    sql: `select (select max(e.session_id) from ${events.sql} e where e.session_id < s.id) as before
      from ${IDS_SQL} order by s.n`,
    params: [ids],
    read: (rows) => asRows<{ before: string | null }>(rows).map(({ before }) => before),
  }
}

/** The ids that begin with `text`, at most `limit`. */
export function idsByPrefix(
  { schema }: PostgresScope,
  text: string,
  limit: number,
): Question<string[]> {
  return {
    sql: `${walkSql(schema, 'where session_id >= $1', '$2')}
      select s.id from s where s.id is not null order by s.n`,
    params: [text, limit],
    read: (rows) =>
      asRows<{ id: string }>(rows).flatMap(({ id }) => (id.startsWith(text) ? [id] : [])),
  }
}

interface SummaryColumns extends ListedColumns {
  readonly first_index: Stored
  readonly first_at: Stored
  readonly looked: Stored
  readonly markers: Stored
  readonly below: Stored
}

function summarySql(schema: PostgresSchema, ids: string): string {
  const { events } = schema
  return `select ${LISTED_SQL}, f.first_index, f.first_at, b.looked, b.markers,
      case when b.looked > ${BELOW_MARKER_ROWS} then (select count(*) from (
        select 1 from ${events.sql} e where e.session_id = s.id and e.idx < c.clear_index
         order by e.idx limit ${RECLAIM_BOUND + 1}) below) end as below
    from ${ids} cross join type ${listedJoins(schema)}
    left join lateral (select e.idx as first_index, e.created_at as first_at from ${events.sql} e
      where e.session_id = s.id order by e.idx limit 1) f on true
    left join lateral (select count(*) as looked,
        count(*) filter (where n.event_type = type.name) as markers
      from (select e.event_type from ${events.sql} e
             where e.session_id = s.id and e.idx < c.clear_index
             order by e.idx desc limit ${BELOW_MARKER_ROWS + 1}) n) b on true`
}

function typeSql(schema: PostgresSchema): string {
  return `type as materialized (
    select coalesce(${markerTypeSql(schema)}, '${toMarkerType(null)}') as name)`
}

/** Summaries without work, in the order asked for; null for an id without events. */
export function summaries(
  { schema }: PostgresScope,
  ids: readonly string[],
): Question<(SummaryWithoutWork | null)[]> {
  return {
    sql: `with ${typeSql(schema)} ${summarySql(schema, IDS_SQL)} order by s.n`,
    params: [ids],
    read: (rows) => asRows<SummaryColumns>(rows).map(toSummary),
  }
}

function toSummary(row: SummaryColumns): SummaryWithoutWork | null {
  if (row.head === null) return null
  const session = toListed(row)
  const firstIndex = toCount(row.first_index)
  return {
    ...session,
    firstIndex,
    live: Math.max(0, session.head - session.clearIndex),
    firstActivityAt: toTime(row.first_at),
    ...toPastCounts({
      ...session,
      firstIndex,
      looked: toCount(row.looked),
      markers: toCount(row.markers),
      ...(row.below === null
        ? {}
        : { toReclaim: toBoundedCount(toCount(row.below), RECLAIM_BOUND) }),
    }),
  }
}

/** One session's summary and reducers; undefined for a session without events. */
export function findSession(
  { schema, clock }: PostgresScope,
  sessionId: string,
): Question<SessionHead | undefined> {
  const { snapshots } = schema
  const reducers =
    snapshots === null
      ? 'null::json'
      : `(select json_agg(json_build_object('name', r.reducer_name, 'upToIndex', r.up_to_index)
           order by r.reducer_name collate "C") from ${snapshots.sql} r where r.session_id = s.id)`
  return {
    sql: `with ${typeSql(schema)}
      select one.*, type.name as marker_type, ${NOW_SQL} as now, ${reducers} as reducers
      from (${summarySql(schema, '(select $1::text as id, 1 as n) s')}) one
      cross join type cross join lateral (select one.id) s`,
    params: [sessionId],
    read: (rows) => {
      const [row] = asRows<SummaryColumns & { marker_type: Stored; now: Stored; reducers: Stored }>(
        rows,
      )
      const summary = row === undefined ? null : toSummary(row)
      if (row === undefined || summary === null) return undefined
      return {
        head: summary.head,
        clearIndex: summary.clearIndex,
        markerType: toMarkerType(row.marker_type),
        summary,
        reducers: parseMade<SessionHead['reducers']>(row.reducers) ?? [],
        readAt: clock.atAnswer(row.now),
      }
    },
  }
}
