import type { ReadHandle } from '../store/sqlite/open.ts'
import { StoreTrouble } from '../store/trouble.ts'
import { absentColumns, type KnownColumns, sortColumns, type TableName } from './known-tables.ts'

export interface TableShape extends KnownColumns {
  /** How its rowid can be named; null for a table without rowids. */
  readonly rowidName: string | null
  /** Columns we know and it lacks: without a required one it cannot be read. */
  readonly absent: ReturnType<typeof absentColumns>
}

export interface StoredTable {
  readonly name: string
  readonly hasRowids: boolean
}

/** Asked directly, a pragma takes a third of what it takes as a table of its own. */
export function readTables(handle: ReadHandle): StoredTable[] {
  const found: StoredTable[] = []
  for (const [schema, name, type, , wr] of handle.lists('pragma table_list')) {
    if (schema !== 'main' || type !== 'table' || typeof name !== 'string') continue
    if (name.slice(0, 3).toLowerCase() === 'a2_') found.push({ name, hasRowids: wr !== 1 })
  }
  return found
}

const ROWID_NAMES = ['rowid', '_rowid_', 'oid']

export function readShape(
  handle: ReadHandle,
  table: TableName,
  { hasRowids }: StoredTable,
): TableShape {
  const names = handle.lists(`pragma main.table_xinfo(${table})`).map(([, name]) => String(name))
  const sorted = sortColumns(table, names)
  const isFree = (alias: string): boolean =>
    sorted.unknownColumns.every((name) => name.toLowerCase() !== alias)
  return {
    ...sorted,
    absent: absentColumns(table, sorted.columns),
    rowidName: hasRowids ? (ROWID_NAMES.find(isFree) ?? null) : null,
  }
}

/**
 * SQLite counts rows from 1. Where a program numbers them itself, a number may be below that, or above what can be
 * told from the next one: such a table is read in the order of its keys.
 */
export function hasCountableRows(handle: ReadHandle, { rowidName }: TableShape): boolean {
  if (rowidName === null) return true
  try {
    const row = handle.get<{ first: number | null; last: number | null }>(
      `select (select min(${rowidName}) from a2_events not indexed) as first,
         (select max(${rowidName}) from a2_events not indexed) as last`,
    )
    return (row?.first ?? 1) > 0 && (row?.last ?? 0) <= Number.MAX_SAFE_INTEGER
  } catch (error) {
    // A damaged page: whoever needs it is told.
    if (error instanceof StoreTrouble) return true
    throw error
  }
}
