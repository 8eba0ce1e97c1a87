import { toListName } from '../list-names.ts'
import { type Stored, toCount } from '../sqlite-values.ts'
import type { NewEvent } from '../../model/live.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, NOW_SQL, parseMade } from './pieces.ts'
import type { PostgresSchema } from './schema.ts'

/** What one cheap look says. */
export interface Signs {
  /** Changes whenever any transaction of the whole server ends that wrote. */
  readonly snapshot: string
  /** Rows written to the a2 tables, as the server's statistics have it: up to ten seconds late. */
  readonly counters: string
  /** null: the table is gone. */
  readonly blocks: number | null
  readonly now: Stored
}

export function signs({ schema }: PostgresScope): Question<Signs> {
  const { events, clears, snapshots, history, pins, presence } = schema
  const tables = [events, clears, snapshots, history, pins, presence].filter((one) => one !== null)
  return {
    sql: `select pg_current_snapshot()::text as snapshot, ${NOW_SQL} as now,
        pg_relation_size($1::oid)::int8 as bytes,
        (select string_agg(concat_ws(':', pg_stat_get_tuples_inserted(id),
            pg_stat_get_tuples_updated(id), pg_stat_get_tuples_deleted(id)), ',')
          from unnest($2::oid[]) id) as counters`,
    params: [events.oid, tables.map(({ oid }) => oid)],
    read: ([row]) => {
      const value = (name: string) => (row?.[name] ?? null) as Stored
      const bytes = value('bytes')
      return {
        snapshot: String(value('snapshot')),
        counters: String(value('counters')),
        blocks: bytes === null ? null : Math.ceil(toCount(bytes) / schema.blockBytes),
        now: value('now'),
      }
    },
  }
}

export interface WatchedRange {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

/** What stands where new rows usually go, and where someone looks. */
export interface CloseLook {
  readonly newest: string
  /** One for each range asked about, in that order. */
  readonly watched: readonly string[]
  /** Of sessions with rows in the newest blocks, and of those someone looks at. */
  readonly heads: readonly (readonly [sessionId: string, head: number])[]
}

const MAX_SESSIONS = 2000

/** `fromBlock`: where the newest blocks begin. Every new version of a row has another xmin. */
export function closeLook(
  { schema }: PostgresScope,
  fromBlock: number,
  watched: readonly WatchedRange[],
): Question<CloseLook> {
  const { events } = schema
  return {
    sql: `with newest as materialized (${newestSql(schema)}),
      watched as materialized (
        select * from unnest($2::text[], $3::bigint[], $4::bigint[]) with ordinality
          as w(session_id, low, high, n)),
      ids as (select distinct session_id from newest union select session_id from watched
        limit ${MAX_SESSIONS})
      select (select md5(string_agg(at || '/' || version, ',' order by at)) from newest) as newest,
        (select json_agg(json_build_array(ids.session_id, h.idx)) from ids cross join lateral (
          select e.idx from ${events.sql} e where e.session_id = ids.session_id
           order by e.idx desc limit 1) h) as heads,
        (select json_agg(coalesce(v.versions, '') order by w.n) from watched w cross join lateral (
          select md5(string_agg(r.idx || '/' || r.version, ',' order by r.idx)) as versions from (
            select e.idx, e.xmin::text as version from ${events.sql} e
             where e.session_id = w.session_id and e.idx >= w.low and e.idx <= w.high
             order by e.idx limit 500) r) v) as watched`,
    params: [
      schema.hasBlocks ? `(${fromBlock},0)` : null,
      watched.map(({ sessionId }) => sessionId),
      watched.map(({ from }) => from),
      watched.map(({ to }) => to),
    ],
    read: ([row]) => ({
      newest: String(row?.['newest']),
      watched: parseMade<readonly string[]>((row?.['watched'] ?? null) as Stored) ?? [],
      heads: parseMade<CloseLook['heads']>((row?.['heads'] ?? null) as Stored) ?? [],
    }),
  }
}

function newestSql({ events, hasBlocks }: PostgresSchema): string {
  if (!hasBlocks) {
    return `select null::text as session_id, ''::text as at, ''::text as version where $1::text is not null`
  }
  return `select e.session_id, e.ctid::text as at, e.xmin::text as version from ${events.sql} e
    where e.ctid >= $1::tid`
}

/** Events of several sessions after an index of each, through another, in that order. */
export function newEvents(
  { schema: { events } }: PostgresScope,
  moves: readonly {
    readonly sessionId: string
    readonly after: number
    readonly through: number
  }[],
  limit: number,
): Question<NewEvent[]> {
  return {
    sql: `select w.session_id, e.idx, e.event_type
      from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality
        as w(session_id, low, high, n)
      cross join lateral (select e.idx, e.event_type from ${events.sql} e
        where e.session_id = w.session_id and e.idx > w.low and e.idx <= w.high
        order by e.idx limit $4) e
      order by w.n, e.idx limit $4`,
    params: [
      moves.map(({ sessionId }) => sessionId),
      moves.map(({ after }) => after),
      moves.map(({ through }) => through),
      limit,
    ],
    read: (rows) =>
      asRows<{ session_id: string; idx: Stored; event_type: string }>(rows).map((row) => ({
        sessionId: row.session_id,
        index: toCount(row.idx),
        type: toListName(row.event_type),
      })),
  }
}
