/** Rows of all tables in one form for both dialects: parsed JSON, booleans, numbers; sorted by key. */
export interface Tables {
  readonly events: readonly EventRow[]
  readonly clears: readonly ClearRow[]
  readonly snapshots: readonly SnapshotRow[]
  readonly history: readonly SnapshotRow[]
  readonly pins: readonly PinRow[]
  readonly presence: readonly PresenceRow[]
}

export interface EventRow {
  readonly session_id: string
  readonly idx: number
  readonly event_type: string
  readonly payload: unknown
  readonly event_id: string
  readonly created_at: number
  readonly cause: { readonly index: number; readonly attempt: number } | null
  readonly lane: string | null
  readonly lane_ready: boolean
  readonly processed_at: number | null
  readonly attempt_count: number
  readonly failure_count: number
  readonly failed_at: number | null
  readonly last_error: string | null
  readonly returned_event_ids: readonly string[] | null
  readonly claim_holder: string | null
  readonly claim_expires_at: number | null
}

export interface ClearRow {
  readonly session_id: string
  readonly clear_index: number
}

export interface SnapshotRow {
  readonly session_id: string
  readonly reducer_name: string
  readonly up_to_index: number
  readonly state: unknown
  readonly updated_at: number
}

export interface PinRow {
  readonly session_id: string
  readonly event_index: number
  readonly reducer_name: string
  readonly up_to_index: number
}

export interface PresenceRow {
  readonly ns: string
  readonly participant: string
  readonly data: unknown
  readonly joined_at: number
  readonly updated_at: number
  readonly expires_at: number
}

/** Where the rows of each part come from, in the order of its keys. */
export const SOURCES: readonly (readonly [
  part: keyof Tables,
  table: string,
  keys: readonly string[],
])[] = [
  ['events', 'a2_events', ['session_id', 'idx']],
  ['clears', 'a2_clears', ['session_id']],
  ['snapshots', 'a2_snapshots', ['session_id', 'reducer_name']],
  ['history', 'a2_snapshot_history', ['session_id', 'reducer_name', 'up_to_index']],
  ['pins', 'a2_snapshot_pins', ['session_id', 'event_index', 'reducer_name', 'up_to_index']],
  ['presence', 'a2_presence', ['ns', 'participant']],
]

type RawRow = Readonly<Record<string, unknown>>

/** `rowsOf` reads a whole table; `toValue` translates one column of the dialect. */
export function toTables(
  rowsOf: (table: string) => readonly RawRow[],
  toValue: (column: string, value: unknown) => unknown,
): Tables {
  const parts = SOURCES.map(([part, table, keys]) => {
    const rows = rowsOf(table).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, toValue(column, value)]),
      ),
    )
    return [part, rows.toSorted((a, b) => compareBy(keys, a, b))]
  })
  return Object.fromEntries(parts) as Tables
}

function compareBy(keys: readonly string[], a: RawRow, b: RawRow): number {
  for (const key of keys) {
    const [left, right] = [a[key] as string | number, b[key] as string | number]
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}

export function clearIndexIn(tables: Tables, sessionId: string): number {
  return tables.clears.find((row) => row.session_id === sessionId)?.clear_index ?? 0
}

export function headIn(tables: Tables, sessionId: string): number {
  return Math.max(0, ...eventsOf(tables, sessionId).map((row) => row.idx))
}

export function eventsOf(tables: Tables, sessionId: string): EventRow[] {
  return tables.events.filter((row) => row.session_id === sessionId)
}

/** Every session that any table of events or clears names. */
export function sessionsIn(tables: Tables): string[] {
  return [...new Set([...tables.events, ...tables.clears].map((row) => row.session_id))]
}

export function hasPendingIn(tables: Tables, sessionId: string): boolean {
  const clearIndex = clearIndexIn(tables, sessionId)
  return eventsOf(tables, sessionId).some(
    (row) => row.idx > clearIndex && row.processed_at === null,
  )
}
