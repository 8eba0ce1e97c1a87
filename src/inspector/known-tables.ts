/** Columns a table must have before its rows mean anything to us. */
const REQUIRED = {
  a2_events: [
    'session_id',
    'idx',
    'event_type',
    'payload',
    'event_id',
    'created_at',
    'cause',
    'lane',
    'lane_ready',
    'processed_at',
    'attempt_count',
    'failure_count',
    'failed_at',
    'claim_holder',
    'claim_expires_at',
  ],
  a2_clears: ['session_id', 'clear_index'],
  a2_snapshots: ['session_id', 'reducer_name', 'up_to_index', 'state'],
  a2_snapshot_history: ['session_id', 'reducer_name', 'up_to_index', 'state'],
  a2_snapshot_pins: ['session_id', 'event_index', 'reducer_name', 'up_to_index'],
  a2_presence: ['ns', 'participant'],
} as const

/** Columns we use where they exist; their names are not certain in a database we did not write. */
const OPTIONAL: Readonly<Record<TableName, readonly string[]>> = {
  a2_events: ['last_error', 'returned_event_ids'],
  a2_clears: [],
  a2_snapshots: ['updated_at'],
  a2_snapshot_history: ['updated_at'],
  a2_snapshot_pins: [],
  a2_presence: ['data', 'joined_at', 'updated_at', 'expires_at'],
}

export type TableName = keyof typeof REQUIRED

export const TABLE_NAMES: readonly TableName[] = [
  'a2_events',
  'a2_clears',
  'a2_snapshots',
  'a2_snapshot_history',
  'a2_snapshot_pins',
  'a2_presence',
]

const KNOWN: ReadonlyMap<TableName, ReadonlySet<string>> = new Map(
  TABLE_NAMES.map((table) => [table, new Set([...REQUIRED[table], ...OPTIONAL[table]])]),
)

export interface KnownColumns {
  /** Lower-case names of known columns that exist. */
  readonly columns: ReadonlySet<string>
  /** Names as stored of columns we do not know. */
  readonly unknownColumns: readonly string[]
  /** Some known column is not written in lower case. */
  readonly hasOddNames: boolean
}

/** Sorts a table's columns into those we know and those we do not. */
export function sortColumns(table: TableName, names: readonly string[]): KnownColumns {
  const known = KNOWN.get(table)
  const columns = new Set<string>()
  const unknownColumns: string[] = []
  let hasOddNames = false
  for (const name of names) {
    if (known?.has(name) === true) {
      columns.add(name)
    } else if (known?.has(name.toLowerCase()) === true) {
      columns.add(name.toLowerCase())
      hasOddNames = true
    } else {
      unknownColumns.push(name)
    }
  }
  return { columns, unknownColumns, hasOddNames }
}

/** Of the columns we know, those that are absent: without a required one the table cannot be read. */
export function absentColumns(
  table: TableName,
  columns: ReadonlySet<string>,
): { readonly required: readonly string[]; readonly optional: readonly string[] } {
  const absent = (names: readonly string[]) => names.filter((column) => !columns.has(column))
  return { required: absent(REQUIRED[table]), optional: absent(OPTIONAL[table]) }
}
