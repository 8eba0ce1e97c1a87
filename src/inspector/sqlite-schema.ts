import type { DatabaseFacts } from '../model/database.ts'
import type { ReadHandle } from '../store/sqlite/open.ts'
import { StoreTrouble } from '../store/trouble.ts'
import { TABLE_NAMES, type TableName } from './known-tables.ts'
import { findIdIndex, findIndexCounts, findWorkIndex, type IndexCounts } from './sqlite-indexes.ts'
import {
  hasCountableRows,
  readShape,
  readTables,
  type StoredTable,
  type TableShape,
} from './table-shape.ts'

export interface EventsShape extends TableShape {
  /** How its rowid can be named; null without rowids, and where they cannot be counted with. */
  readonly rowid: string | null
  /** Somebody asked for `rowid`. */
  readonly isRowidKnown: boolean
}

/** What one a2 database looks like: which tables, columns and indexes exist. Valid for one schema version. */
export interface SqliteSchema {
  readonly schemaVersion: number
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly events: EventsShape
  /** null: the table is absent, or lacks a column without which it cannot be read. */
  readonly clears: TableShape | null
  readonly snapshots: TableShape | null
  readonly history: TableShape | null
  readonly pins: TableShape | null
  readonly presence: TableShape | null
  readonly version: DatabaseFacts['schema']
  /** Some known column of events or clears is not written in lower case. */
  readonly hasOddNames: boolean
  readonly unknownTables: readonly string[]
  readonly unknownColumns: readonly string[]
  readonly missingColumns: readonly string[]
  /** A partial index on unfinished rows in (session_id, idx) order exists and is chosen by the planner. */
  readonly hasWorkIndex: boolean
  readonly indexCounts: IndexCounts
  /** An event id is looked up through an index. */
  readonly hasEventIdIndex: boolean
}

/**
 * Throws StoreTrouble `not-a2` or `column-missing`. Most of it is found when it is first asked for, through
 * `current`: the handle through which the schema is being used then. Whoever only wants a list does not wait for it.
 */
export function detectSchema(
  handle: ReadHandle,
  path: string,
  current: () => ReadHandle = () => handle,
): SqliteSchema {
  const stored = readTables(handle)
  const findShape = shapesOf(stored, current)
  const findReadable = (table: TableName): TableShape | null => {
    const shape = findShape(table)
    return shape === null || shape.absent.required.length > 0 ? null : shape
  }
  const events = toEvents(findShape('a2_events'), path, current)
  const clears = findReadable('a2_clears')
  const hasClearsTable = findShape('a2_clears') !== null
  const encoding = once(() => readEncoding(current()))
  const hasWorkIndex = once(() => findWorkIndex(current()))
  const indexCounts = once(() => findIndexCounts(current()))
  const hasEventIdIndex = once(() => findIdIndex(current()))
  const ofColumns = (name: (table: TableName, shape: TableShape) => readonly string[]): string[] =>
    TABLE_NAMES.flatMap((table) => {
      const shape = findShape(table)
      return shape === null ? [] : name(table, shape).map((column) => `${table}.${column}`)
    })
  return {
    schemaVersion: readSchemaVersion(handle),
    events,
    clears,
    version: clears !== null ? '0.18' : hasClearsTable ? 'unknown' : '0.16',
    hasOddNames: events.hasOddNames || clears?.hasOddNames === true,
    get encoding() {
      return encoding()
    },
    get snapshots() {
      return findReadable('a2_snapshots')
    },
    get history() {
      return findReadable('a2_snapshot_history')
    },
    get pins() {
      return findReadable('a2_snapshot_pins')
    },
    get presence() {
      return findReadable('a2_presence')
    },
    get unknownTables() {
      return stored
        .map(({ name }) => name)
        .filter((name) => !TABLE_NAMES.some((table) => table === name.toLowerCase()))
    },
    get unknownColumns() {
      return ofColumns((table, shape) => (findReadable(table) === null ? [] : shape.unknownColumns))
    },
    get missingColumns() {
      return ofColumns((_, { absent }) => [...absent.required, ...absent.optional])
    },
    get hasWorkIndex() {
      return hasWorkIndex()
    },
    get indexCounts() {
      return indexCounts()
    },
    get hasEventIdIndex() {
      return hasEventIdIndex()
    },
  }
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined
  return () => (found ??= { value: find() }).value
}

/** null: there is no such table. */
function shapesOf(
  stored: readonly StoredTable[],
  current: () => ReadHandle,
): (table: TableName) => TableShape | null {
  const known = new Map<TableName, TableShape>()
  return (table) => {
    const before = known.get(table)
    if (before !== undefined) return before
    const entry = stored.find(({ name }) => name.toLowerCase() === table)
    if (entry === undefined) return null
    const shape = readShape(current(), table, entry)
    known.set(table, shape)
    return shape
  }
}

function toEvents(shape: TableShape | null, path: string, current: () => ReadHandle): EventsShape {
  if (shape === null) throw new StoreTrouble({ kind: 'not-a2', path, code: null })
  const [missing] = shape.absent.required
  if (missing !== undefined) {
    throw new StoreTrouble({ kind: 'column-missing', path, code: `a2_events.${missing}` })
  }
  let rowid: string | null | undefined
  return {
    ...shape,
    get rowid() {
      if (rowid === undefined) {
        rowid = hasCountableRows(current(), shape) ? shape.rowidName : null
      }
      return rowid
    },
    get isRowidKnown() {
      return rowid !== undefined
    },
  }
}

export function readSchemaVersion(handle: ReadHandle): number {
  return Number(handle.lists('pragma schema_version')[0]?.[0] ?? 0)
}

function readEncoding(handle: ReadHandle): SqliteSchema['encoding'] {
  const { encoding } = handle.get<{ encoding: string }>('pragma encoding') ?? { encoding: 'UTF-8' }
  if (encoding === 'UTF-16le') return 'utf-16le'
  return encoding === 'UTF-16be' ? 'utf-16be' : 'utf-8'
}
