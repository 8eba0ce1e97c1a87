import { STATE_SQL } from '../queries/event-columns.ts'
import { START_CHARACTERS } from '../sqlite-values.ts'
import type { PostgresSchema } from './schema.ts'

/**
 * A payload is turned into text as a whole, however little of it is shown: larger ones, by what they take
 * in the table, are left alone in lists.
 */
const LIST_PAYLOAD_BYTES = 8192

/** The same for a table's rows called `e`, so that their indexes are not mixed up with others. */
export const E_STATE_SQL = STATE_SQL.split(', ')
  .map((column) => `e.${column}`)
  .join(', ')

/** Everything a list row shows, of `eventFrom`. */
export function eventSql({ events }: PostgresSchema): string {
  const error = events.columns.has('last_error')
    ? `left(e.last_error::text, ${START_CHARACTERS})`
    : 'null::text'
  return `${E_STATE_SQL}, e.event_id, e.created_at, e.cause::text as cause, e.lane,
    left(p.text, ${START_CHARACTERS}) as payload_start,
    coalesce(octet_length(p.text), pg_column_size(e.payload)) as payload_bytes,
    e.payload is not null and p.text is null as is_payload_large,
    ${error} as error_start, e.claim_holder`
}

/** The offset keeps the payload from being turned into text once for each use. */
export function eventFrom({ events }: PostgresSchema, limitBytes = LIST_PAYLOAD_BYTES): string {
  return `${events.sql} e cross join lateral (select
    case when pg_column_size(e.payload) <= ${limitBytes} then e.payload::text end as text offset 0) p`
}

/** Whether a column `cause` names an event; compares JSON numbers, which costs less than reading them. */
export function isCausedBySql({ events }: PostgresSchema, column: string, index: string): string {
  const type = events.types.get('cause')
  if (type !== 'jsonb' && type !== 'json') return 'false'
  return `${column}::jsonb -> 'index' = to_jsonb(${index})`
}

/** The index of the causing event out of a column `cause`; null where there is none. */
export function causeIndexSql({ events }: PostgresSchema, column: string): string {
  const type = events.types.get('cause')
  if (type !== 'jsonb' && type !== 'json') return 'null::bigint'
  const text = `${column}::jsonb ->> 'index'`
  return `case when ${text} ~ '^[0-9]{1,15}$' then (${text})::bigint end`
}
