import type { DatabaseFacts } from '../model/database.ts'
import type { ReadHandle } from '../store/sqlite/open.ts'
import { StoreTrouble } from '../store/trouble.ts'
import {
  absentColumns,
  type KnownColumns,
  sortColumns,
  TABLE_NAMES,
  type TableName,
} from './known-tables.ts'

export interface TableShape extends KnownColumns {
  /** How its rowid can be named; null for a table without rowids, and for events whose rowids cannot be counted with. */
  readonly rowid: string | null
}

/** What one a2 database looks like: which tables, columns and indexes exist. Valid for one schema version. */
export interface SqliteSchema {
  readonly schemaVersion: number
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly events: TableShape
  /** null: the table is absent, or lacks a column without which it cannot be read. */
  readonly clears: TableShape | null
  readonly snapshots: TableShape | null
  readonly history: TableShape | null
  readonly pins: TableShape | null
  readonly presence: TableShape | null
  readonly version: DatabaseFacts['schema']
  /** Some known column is not written in lower case. */
  readonly hasOddNames: boolean
  readonly unknownTables: readonly string[]
  readonly unknownColumns: readonly string[]
  readonly missingColumns: readonly string[]
  /** A partial index on unfinished rows in (session_id, idx) order exists and is chosen by the planner. */
  readonly hasWorkIndex: boolean
  /** An event id is looked up through an index. */
  readonly hasEventIdIndex: boolean
}

/**
 * Throws StoreTrouble `not-a2` or `column-missing`. Some of it is found when it is first asked for, through
 * `current`: the handle through which the schema is being used then.
 */
export function detectSchema(
  handle: ReadHandle,
  path: string,
  current: () => ReadHandle = () => handle,
): SqliteSchema {
  const stored = readTables(handle)
  const shapes = new Map<TableName, TableShape>()
  const missingColumns: string[] = []
  for (const table of TABLE_NAMES) {
    const entry = stored.find(({ name }) => name.toLowerCase() === table)
    if (entry === undefined) continue
    const shape = readShape(handle, table, entry)
    const { required, optional } = absentColumns(table, shape.columns)
    if (table === 'a2_events' && required[0] !== undefined) {
      throw new StoreTrouble({ kind: 'column-missing', path, code: `a2_events.${required[0]}` })
    }
    missingColumns.push(...[...required, ...optional].map((column) => `${table}.${column}`))
    if (required.length === 0) shapes.set(table, shape)
  }
  const found = shapes.get('a2_events')
  if (found === undefined) throw new StoreTrouble({ kind: 'not-a2', path, code: null })
  const events = hasCountableRows(handle, found) ? found : { ...found, rowid: null }
  const later = lazily(current)
  const encoding = later(readEncoding)
  const hasWorkIndex = later(findWorkIndex)
  const hasEventIdIndex = later((open) => planOf(open, EVENT_ID_PROBE).startsWith('SEARCH '))
  const hasClearsTable = stored.some(({ name }) => name.toLowerCase() === 'a2_clears')
  return {
    schemaVersion: readSchemaVersion(handle),
    get encoding() {
      return encoding()
    },
    events,
    clears: shapes.get('a2_clears') ?? null,
    snapshots: shapes.get('a2_snapshots') ?? null,
    history: shapes.get('a2_snapshot_history') ?? null,
    pins: shapes.get('a2_snapshot_pins') ?? null,
    presence: shapes.get('a2_presence') ?? null,
    version: shapes.has('a2_clears') ? '0.18' : hasClearsTable ? 'unknown' : '0.16',
    hasOddNames: [...shapes.values()].some((shape) => shape.hasOddNames),
    unknownTables: stored
      .map(({ name }) => name)
      .filter((name) => !TABLE_NAMES.some((table) => table === name.toLowerCase())),
    unknownColumns: [...shapes].flatMap(([table, { unknownColumns }]) =>
      unknownColumns.map((column) => `${table}.${column}`),
    ),
    missingColumns,
    get hasWorkIndex() {
      return hasWorkIndex()
    },
    get hasEventIdIndex() {
      return hasEventIdIndex()
    },
  }
}

/** Whoever only wants a list does not wait for it. */
function lazily(current: () => ReadHandle): <T>(find: (handle: ReadHandle) => T) => () => T {
  return (find) => {
    let found: { readonly value: ReturnType<typeof find> } | undefined
    return () => (found ??= { value: find(current()) }).value
  }
}

interface StoredTable {
  readonly name: string
  /** 1: without rowids. */
  readonly wr: number
}

/** Asked directly, a pragma takes a third of what it takes as a table of its own. */
function readTables(handle: ReadHandle): StoredTable[] {
  return handle
    .all<StoredTable & { schema: string; type: string }>('pragma table_list')
    .filter(({ schema, type, name }) => schema === 'main' && type === 'table' && /^a2_/i.test(name))
}

export function readSchemaVersion(handle: ReadHandle): number {
  return handle.get<{ schema_version: number }>('pragma schema_version')?.schema_version ?? 0
}

/**
 * SQLite counts rows from 1. Where a program numbers them itself, a number may be below that, or above what can be
 * told from the next one: such a table is read in the order of its keys.
 */
export function hasCountableRows(handle: ReadHandle, { rowid }: TableShape): boolean {
  if (rowid === null) return true
  try {
    const row = handle.get<{ first: number | null; last: number | null }>(
      `select (select min(${rowid}) from a2_events not indexed) as first,
         (select max(${rowid}) from a2_events not indexed) as last`,
    )
    return (row?.first ?? 1) > 0 && (row?.last ?? 0) <= Number.MAX_SAFE_INTEGER
  } catch (error) {
    // A damaged page: whoever needs it is told.
    if (error instanceof StoreTrouble) return true
    throw error
  }
}

const ROWID_NAMES = ['rowid', '_rowid_', 'oid']

function readShape(handle: ReadHandle, table: TableName, found: StoredTable): TableShape {
  const names = handle
    .all<{ name: string }>(`pragma main.table_xinfo(${table})`)
    .map(({ name }) => name)
  const sorted = sortColumns(table, names)
  const { unknownColumns } = sorted
  const isFree = (alias: string): boolean =>
    unknownColumns.every((name) => name.toLowerCase() !== alias)
  return { ...sorted, rowid: found.wr === 1 ? null : (ROWID_NAMES.find(isFree) ?? null) }
}

function readEncoding(handle: ReadHandle): SqliteSchema['encoding'] {
  const { encoding } = handle.get<{ encoding: string }>('pragma encoding') ?? { encoding: 'UTF-8' }
  if (encoding === 'UTF-16le') return 'utf-16le'
  return encoding === 'UTF-16be' ? 'utf-16be' : 'utf-8'
}

const EVENT_ID_PROBE = `select 1 from a2_events where event_id = 'x'`
const WORK_PROBE = `select idx from a2_events
  where processed_at is null and (session_id, idx) > ('', 1) order by session_id, idx`

/** The planner must choose a partial index whose first columns are (session_id, idx) for the very shape we ask in. */
function findWorkIndex(handle: ReadHandle): boolean {
  const partial = handle.all<{ name: string }>(
    `select name from pragma_index_list('a2_events') where partial = 1`,
  )
  const plan = planOf(handle, WORK_PROBE)
  return partial.some(({ name }) => {
    const columns = handle
      .all<{ name: string | null }>('select name from pragma_index_info(?) order by seqno', [name])
      .map((column) => column.name?.toLowerCase())
    if (columns[0] !== 'session_id' || columns[1] !== 'idx') return false
    return [` INDEX ${name} `, ` INDEX ${name}\n`].some((text) => `${plan}\n`.includes(text))
  })
}

function planOf(handle: ReadHandle, sql: string): string {
  return handle
    .all<{ detail: string }>(`explain query plan ${sql}`)
    .map(({ detail }) => detail)
    .join('\n')
}
