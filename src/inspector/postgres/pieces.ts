import { type Stored, toClearIndex } from '../sqlite-values.ts'
import type { Judge } from '../queries/event-columns.ts'
import { DEFAULT_MARKER_TYPE } from '../queries/judge.ts'
import type { PostgresScope } from './asker.ts'
import type { PostgresSchema } from './schema.ts'

/** The database's clock when the statement came to it, epoch ms. */
export const NOW_SQL = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** The clear index of a session: 0 when never cleared. */
export function clearSql({ clears }: PostgresSchema, session: string): string {
  if (clears === null) return '0::bigint'
  return `coalesce((select c.clear_index from ${clears.sql} c where c.session_id = ${session}), 0)`
}

/** 0 when the session has no event. */
export function headSql({ events }: PostgresSchema, session: string): string {
  return `coalesce((select max(e.idx) from ${events.sql} e where e.session_id = ${session}), 0)`
}

/** The type of the event at some session's clear index; null when no marker is stored. */
export function markerTypeSql({ clears, events }: PostgresSchema): string {
  if (clears === null) return 'null::text'
  return `(select m.event_type from (select session_id, clear_index from ${clears.sql} limit 200) c
    cross join lateral (select e.event_type from ${events.sql} e
      where e.session_id = c.session_id and e.idx = c.clear_index limit 1) m limit 1)`
}

/** What the events of one session are judged with, as columns of a common table `at`. */
export function atSql(schema: PostgresSchema, session: string): string {
  return `at as materialized (select ${clearSql(schema, session)} as clear_index,
    ${NOW_SQL} as now, ${markerTypeSql(schema)} as marker_type)`
}

export interface AtColumns {
  readonly clear_index: Stored
  readonly now: Stored
  readonly marker_type: Stored
}

export function toJudge(row: AtColumns, { clock }: PostgresScope): Judge {
  return {
    clearIndex: toClearIndex(row.clear_index),
    markerType: toMarkerType(row.marker_type),
    now: clock.atAnswer(row.now),
  }
}

export function toMarkerType(stored: Stored): string {
  return typeof stored === 'string' ? stored : DEFAULT_MARKER_TYPE
}

/** `$1::text[]` as rows (id, n) in the order given. */
export const IDS_SQL = 'unnest($1::text[]) with ordinality as s(id, n)'

/** What JSON the statement itself made; numbers in it are indexes, times and counts. */
export function parseMade<T>(value: Stored): T | null {
  return typeof value === 'string' ? (JSON.parse(value) as T) : null
}

/** Rows as the gate hands them over: numbers, booleans, text. */
export function asRows<T>(rows: readonly unknown[]): readonly T[] {
  return rows as readonly T[]
}

/** The values are bound in the order they are named in. */
export function makeBinder(...first: readonly unknown[]) {
  const params = [...first]
  const bind = (value: unknown): string => {
    params.push(value)
    return `$${params.length}`
  }
  return { params, bind }
}

/** Text that Postgres cannot hold is stored nowhere. */
export function canBeStored(...texts: readonly string[]): boolean {
  return texts.every((text) => text.isWellFormed() && !text.includes('\0'))
}
