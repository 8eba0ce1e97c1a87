import type { DatabaseFacts } from '../../model/database.ts'
import type { Row, Statement } from '../../store/postgres/connection.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import {
  absentColumns,
  type KnownColumns,
  sortColumns,
  TABLE_NAMES,
  type TableName,
} from '../known-tables.ts'
import { quoteName } from '../sqlite-values.ts'

export interface PostgresTable extends KnownColumns {
  /** With its schema, quoted: whatever the search path is. */
  readonly sql: string
  readonly oid: number
  /** Types by column: `jsonb`, `character varying(20)`. */
  readonly types: ReadonlyMap<string, string>
}

/** What the a2 tables of one database look like. */
export interface PostgresSchema {
  /** Changes whenever anything below may have. */
  readonly signature: string
  /** Changes when the tables are other ones, under the same names or not. */
  readonly identity: string
  readonly name: string
  readonly events: PostgresTable
  /** null: the table is absent, or lacks a column without which it cannot be read. */
  readonly clears: PostgresTable | null
  readonly snapshots: PostgresTable | null
  readonly history: PostgresTable | null
  readonly pins: PostgresTable | null
  readonly presence: PostgresTable | null
  readonly version: DatabaseFacts['schema']
  readonly unknownTables: readonly string[]
  readonly unknownColumns: readonly string[]
  readonly missingColumns: readonly string[]
  /** A partial index on unfinished rows in (session_id, idx) order. */
  readonly hasWorkIndex: boolean
  /** A partial index on unfinished rows in (session_id, lane, idx) order. */
  readonly hasLaneIndex: boolean
  readonly hasEventIdIndex: boolean
  /** Rows lie in numbered blocks that can be read by their numbers, the newest rows mostly in the last ones. */
  readonly hasBlocks: boolean
  readonly blockBytes: number
}

interface FoundTable {
  readonly name: string
  readonly oid: number
  readonly columns: readonly (readonly [name: string, type: string])[] | null
}

interface FoundIndex {
  /** null stands for an expression. */
  readonly columns: readonly (string | null)[]
  readonly predicate: string | null
}

interface Found {
  readonly version: number
  readonly block_bytes: number
  readonly database_id: number
  readonly home: { oid: number; kind: string; method: string | null; schema: string } | null
  readonly tables: readonly FoundTable[] | null
  readonly indexes: readonly FoundIndex[] | null
  /** Schemas that have a table of events. */
  readonly elsewhere: string | null
}

/** Ranges of row addresses are read without a full scan from this version on. */
const TID_RANGE_VERSION = 140_000

const COLUMNS = `
  (select json_agg(json_build_array(attname, format_type(atttypid, atttypmod)) order by attnum)
     from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped)`

const INDEX_COLUMNS = `
  (select json_agg(a.attname order by k.n)
     from unnest(i.indkey::int2[]) with ordinality as k(attnum, n)
     left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum)`

/** Reads the catalogue only, in one statement. */
export function schemaStatement(schema: string | null): Statement {
  return {
    sql: `
      with home as (
        select c.oid::int8 as oid, c.relkind as kind, m.amname as method, n.nspname as schema,
               c.relnamespace
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          left join pg_am m on m.oid = c.relam
         where c.oid = to_regclass($1)::oid)
      select json_build_object(
        'version', current_setting('server_version_num')::int,
        'block_bytes', current_setting('block_size')::int,
        'database_id', (select oid::int8 from pg_database where datname = current_database()),
        'home', (select row_to_json(home) from home),
        'tables', (select json_agg(
            json_build_object('name', t.relname, 'oid', t.oid::int8, 'columns', ${COLUMNS})
            order by t.relname)
          from pg_class t where t.relnamespace = (select relnamespace from home)
           and t.relkind in ('r', 'p', 'v', 'm', 'f') and starts_with(t.relname::text, 'a2_')),
        'indexes', (select json_agg(
            json_build_object('columns', ${INDEX_COLUMNS}, 'predicate', pg_get_expr(i.indpred, i.indrelid))
            order by i.indexrelid)
          from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
         where i.indrelid = (select oid::oid from home) and i.indisvalid and m.amname = 'btree'),
        'elsewhere', (select string_agg(n.nspname, ', ' order by n.nspname)
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relname = 'a2_events' and c.relkind in ('r', 'p', 'v', 'm', 'f'))) as found`,
    params: [schema === null ? 'a2_events' : `${quoteName(schema)}.a2_events`],
  }
}

/** Throws StoreTrouble `no-a2-tables` or `column-missing`. */
export function toSchema(rows: readonly Row[], path: string): PostgresSchema {
  const signature = String(rows[0]?.['found'])
  const found = JSON.parse(signature) as Found
  const { home } = found
  if (home === null) {
    const detail = found.elsewhere === null ? null : `a2_events is in schema ${found.elsewhere}`
    throw new StoreTrouble({ kind: 'no-a2-tables', path, code: null, detail })
  }
  const { tables, missingColumns } = shapeTables(found.tables ?? [], home.schema, path)
  const events = tables.get('a2_events')
  if (events === undefined) throw new StoreTrouble({ kind: 'no-a2-tables', path, code: null })
  const names = (found.tables ?? []).map(({ name }) => name)
  return {
    signature,
    identity: `${found.database_id}/${home.oid}`,
    name: home.schema,
    events,
    clears: tables.get('a2_clears') ?? null,
    snapshots: tables.get('a2_snapshots') ?? null,
    history: tables.get('a2_snapshot_history') ?? null,
    pins: tables.get('a2_snapshot_pins') ?? null,
    presence: tables.get('a2_presence') ?? null,
    version: tables.has('a2_clears') ? '0.18' : names.includes('a2_clears') ? 'unknown' : '0.16',
    unknownTables: names.filter((name) => !TABLE_NAMES.some((table) => table === name)),
    unknownColumns: [...tables].flatMap(([table, { unknownColumns }]) =>
      unknownColumns.map((column) => `${table}.${column}`),
    ),
    missingColumns,
    ...judgeIndexes(found.indexes ?? []),
    hasBlocks:
      (home.kind === 'r' || home.kind === 'm') &&
      home.method === 'heap' &&
      found.version >= TID_RANGE_VERSION,
    blockBytes: found.block_bytes,
  }
}

function shapeTables(stored: readonly FoundTable[], schema: string, path: string) {
  const tables = new Map<TableName, PostgresTable>()
  const missingColumns: string[] = []
  for (const table of TABLE_NAMES) {
    const found = stored.find(({ name }) => name === table)
    if (found === undefined) continue
    const types = new Map(found.columns ?? [])
    const known = sortColumns(table, [...types.keys()])
    const { required, optional } = absentColumns(table, known.columns)
    if (table === 'a2_events' && required[0] !== undefined) {
      throw new StoreTrouble({ kind: 'column-missing', path, code: `a2_events.${required[0]}` })
    }
    missingColumns.push(...[...required, ...optional].map((column) => `${table}.${column}`))
    if (required.length > 0) continue
    const sql = `${quoteName(schema)}.${table}`
    tables.set(table, { sql, oid: found.oid, types, ...known })
  }
  return { tables, missingColumns }
}

/** Judged by the catalogue, for the planner of a small table prefers to read all of it. */
function judgeIndexes(indexes: readonly FoundIndex[]) {
  const begins = (index: FoundIndex, ...columns: string[]): boolean =>
    columns.every((column, n) => index.columns[n] === column)
  const unfinished = '(processed_at IS NULL)'
  const unfinishedLanes = `(${unfinished} AND (lane IS NOT NULL))`
  return {
    hasWorkIndex: indexes.some(
      (index) => index.predicate === unfinished && begins(index, 'session_id', 'idx'),
    ),
    hasLaneIndex: indexes.some(
      (index) =>
        (index.predicate === unfinished || index.predicate === unfinishedLanes) &&
        begins(index, 'session_id', 'lane', 'idx'),
    ),
    hasEventIdIndex: indexes.some((index) => index.predicate === null && begins(index, 'event_id')),
  }
}
