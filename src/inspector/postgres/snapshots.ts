import type { TextPart } from '../../model/event.ts'
import type { SessionSnapshots, SnapshotRef } from '../../model/snapshot.ts'
import { type PinColumns, type SnapshotColumns, toSnapshots } from '../queries/snapshots.ts'
import { type Stored, toClearIndex, toCount } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { findText } from './event.ts'
import { clearSql, headSql, parseMade } from './pieces.ts'
import type { PostgresSchema, PostgresTable } from './schema.ts'

/** Larger states, by what they take in the table, are not turned into text to be measured. */
const MEASURED_BYTES = 64 * 1024

export interface SnapshotLists {
  readonly heads: Stored
  readonly history: Stored
  readonly pins: Stored
}

/** All rows of a session's snapshots, as columns of a statement about `$1`. */
export function snapshotListsSql(schema: PostgresSchema): string {
  const { pins } = schema
  const pinRows =
    pins === null
      ? 'null::json'
      : `(select json_agg(json_build_object('reducer_name', p.reducer_name,
           'up_to_index', p.up_to_index, 'event_index', p.event_index) order by p.event_index)
         from ${pins.sql} p where p.session_id = $1)`
  return `${listSql(schema.snapshots)} as heads, ${listSql(schema.history)} as history, ${pinRows} as pins`
}

function listSql(table: PostgresTable | null): string {
  if (table === null) return 'null::json'
  const updatedAt = table.columns.has('updated_at') ? 't.updated_at' : 'null'
  const isLarge = `pg_column_size(t.state) > ${MEASURED_BYTES}`
  return `(select json_agg(json_build_object('reducer_name', t.reducer_name,
      'up_to_index', t.up_to_index, 'updated_at', ${updatedAt}, 'is_large', ${isLarge},
      'bytes', case when ${isLarge} then pg_column_size(t.state)
        else octet_length(t.state::text) end) order by t.up_to_index desc)
    from ${table.sql} t where t.session_id = $1)`
}

export function toSessionSnapshots(
  row: SnapshotLists & { readonly head: Stored; readonly clear_index: Stored },
  schema: PostgresSchema,
): SessionSnapshots {
  return toSnapshots({
    clearIndex: toClearIndex(row.clear_index),
    sessionHead: toCount(row.head),
    pins: parseMade<readonly PinColumns[]>(row.pins) ?? [],
    heads: parseMade<readonly SnapshotColumns[]>(row.heads) ?? [],
    history: parseMade<readonly SnapshotColumns[]>(row.history) ?? [],
    isSupported: schema.snapshots !== null || schema.history !== null,
  })
}

/** Everything stored of a session's reducers, by name. */
export function snapshots(
  { schema }: PostgresScope,
  sessionId: string,
): Question<SessionSnapshots> {
  return {
    sql: `select ${headSql(schema, '$1')} as head, ${clearSql(schema, '$1')} as clear_index,
      ${snapshotListsSql(schema)}`,
    params: [sessionId],
    read: ([row]) =>
      toSessionSnapshots(row as unknown as Parameters<typeof toSessionSnapshots>[0], schema),
  }
}

/** A part of one stored state; undefined when it is not stored there any more. */
export function findState(
  { schema }: PostgresScope,
  key: {
    sessionId: string
    reducer: string
    upToIndex: number
    source: SnapshotRef['source']
    offsetBytes: number
  },
): Question<TextPart | undefined> {
  const table = key.source === 'head' ? schema.snapshots : schema.history
  if (table === null) return { sql: 'select', params: [], read: () => undefined }
  return findText({
    column: 'state',
    from: `(select state from ${table.sql}
      where session_id = $3 and reducer_name = $4 and up_to_index = $5::bigint) e`,
    params: [key.sessionId, key.reducer, key.upToIndex],
    offsetBytes: key.offsetBytes,
  })
}
