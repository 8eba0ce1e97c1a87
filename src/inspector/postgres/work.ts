import { E_STATE_SQL } from './event-columns.ts'
import {
  type ChangingColumns,
  type KeyedStep,
  renewed,
  toUnfinishedRows,
  type UnfinishedColumns,
  type UnfinishedRow,
  type WorkKey,
} from '../queries/work.ts'
import { type Stored, toClearIndex, toCount } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows } from './pieces.ts'

/** Row addresses change with every update: rows are known by their keys. */
const COLUMNS = `null::int8 as n, e.session_id, e.lane, ${E_STATE_SQL}`
const AFTER = '(e.session_id, e.idx) > ($1, $2::bigint)'

function toRows(rows: readonly unknown[]): UnfinishedRow[] {
  return toUnfinishedRows(asRows<UnfinishedColumns>(rows))
}

/** Unfinished rows in the blocks from `above` on, before `through`; the last blocks come first. */
export function unfinishedBlocks(
  { schema: { events } }: PostgresScope,
  { above, through }: { above: number; through: number },
): Question<UnfinishedRow[]> {
  return {
    // The bounds must be parameters: computed ones are not seen as a range.
    sql: `select ${COLUMNS} from ${events.sql} e
      where e.ctid >= $1::tid and e.ctid < $2::tid and e.processed_at is null`,
    params: [`(${above},0)`, `(${through},0)`],
    read: toRows,
  }
}

/** Each row as it is now, the very same object when nothing changed; null when it is finished or gone. */
export function unfinishedAgain(
  { schema: { events } }: PostgresScope,
  rows: readonly UnfinishedRow[],
): Question<(UnfinishedRow | null)[]> {
  return {
    // The limit keeps the planner from reading the whole table for many keys.
    sql: `select k.place, e.* from unnest($1::text[], $2::bigint[]) with ordinality as k(session_id, idx, place)
      cross join lateral (select ${COLUMNS}, e.processed_at as finished_at from ${events.sql} e
        where e.session_id = k.session_id and e.idx = k.idx limit 1) e
      where e.finished_at is null`,
    params: [rows.map(({ sessionId }) => sessionId), rows.map(({ index }) => index)],
    read: (stored) => {
      const again: (UnfinishedRow | null)[] = rows.map(() => null)
      for (const now of asRows<ChangingColumns & { place: Stored }>(stored)) {
        const at = toCount(now.place) - 1
        const known = rows[at]
        if (known !== undefined) again[at] = renewed(known, now)
      }
      return again
    },
  }
}

/** Unfinished rows in key order through the partial index on them. */
export function unfinishedByIndex(
  { schema: { events } }: PostgresScope,
  after: WorkKey | null,
  limit: number,
): Question<KeyedStep> {
  return {
    sql: `select ${COLUMNS} from ${events.sql} e
      where e.processed_at is null ${after === null ? '' : `and ${AFTER}`}
      order by e.session_id, e.idx limit $${after === null ? 1 : 3}`,
    params: after === null ? [limit] : [after.sessionId, after.index, limit],
    read: (rows) => {
      const found = toRows(rows)
      return { rows: found, next: found.length < limit ? null : (found.at(-1) ?? null) }
    },
  }
}

/** The same where nothing helps: looks at `limit` rows of any kind. */
export function unfinishedByKey(
  { schema: { events } }: PostgresScope,
  after: WorkKey | null,
  limit: number,
): Question<KeyedStep> {
  return {
    sql: `with looked as materialized (select ${COLUMNS} from ${events.sql} e
        ${after === null ? '' : `where ${AFTER}`}
        order by e.session_id, e.idx limit $${after === null ? 1 : 3}),
      last as (select l.session_id as last_session, l.idx as last_idx from looked l
        order by l.session_id desc, l.idx desc limit 1)
      select looked.*, last.*, (select count(*) from looked) as looked from last
      left join looked on looked.processed_at is null order by looked.session_id, looked.idx`,
    params: after === null ? [limit] : [after.sessionId, after.index, limit],
    read: (rows) => {
      const found = asRows<
        UnfinishedColumns & { last_session: string; last_idx: Stored; looked: Stored }
      >(rows)
      const [first] = found
      const isEnd = first === undefined || toCount(first.looked) < limit
      return {
        rows: toUnfinishedRows(found.filter((row) => row.session_id !== null)),
        next: isEnd ? null : { sessionId: first.last_session, index: toCount(first.last_idx) },
      }
    },
  }
}

/** One session's unfinished live events with from ≤ index, in key order, of the next `limit` rows of any kind. */
export function sessionUnfinished(
  { schema }: PostgresScope,
  { sessionId, from }: { sessionId: string; from: number },
  limit: number,
): Question<{ rows: UnfinishedRow[]; next: number | null }> {
  const { events, hasWorkIndex } = schema
  if (hasWorkIndex) {
    return {
      sql: `select ${COLUMNS} from ${events.sql} e
        where e.session_id = $1 and e.idx >= $2::bigint and e.processed_at is null
        order by e.idx limit $3`,
      params: [sessionId, from, limit],
      read: (rows) => {
        const found = toRows(rows)
        const isEnd = found.length < limit
        return { rows: found, next: isEnd ? null : (found.at(-1)?.index ?? 0) + 1 }
      },
    }
  }
  return {
    sql: `with looked as materialized (select ${COLUMNS} from ${events.sql} e
        where e.session_id = $1 and e.idx >= $2::bigint order by e.idx limit $3)
      select looked.*, seen.* from (select count(*) as looked, max(idx) as through from looked) seen
      left join looked on looked.processed_at is null order by looked.idx`,
    params: [sessionId, from, limit],
    read: (rows) => {
      const found = asRows<UnfinishedColumns & { looked: Stored; through: Stored }>(rows)
      const isEnd = toCount(found[0]?.looked ?? 0) < limit
      return {
        rows: toUnfinishedRows(found.filter((row) => row.session_id !== null)),
        next: isEnd ? null : toCount(found[0]?.through ?? 0) + 1,
      }
    },
  }
}

/** Clear indexes of those sessions that have one. */
export function clearIndexes(
  { schema: { clears } }: PostgresScope,
  ids: readonly string[],
): Question<Map<string, number>> {
  if (clears === null) return { sql: 'select', params: [], read: () => new Map() }
  return {
    sql: `select session_id, clear_index from ${clears.sql} where session_id = any($1::text[])`,
    params: [ids],
    read: (rows) =>
      new Map(
        asRows<{ session_id: string; clear_index: Stored }>(rows).map((row) => [
          row.session_id,
          toClearIndex(row.clear_index),
        ]),
      ),
  }
}
