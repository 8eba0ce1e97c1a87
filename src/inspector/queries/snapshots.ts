import type { TextPart } from '../../model/event.ts'
import type { ReducerSnapshots, SessionSnapshots, SnapshotRef } from '../../model/snapshot.ts'
import type { Scope } from '../handle.ts'
import type { TableShape } from '../table-shape.ts'
import { type Stored, toCount, toText, toTime } from '../sqlite-values.ts'
import { readClearIndex, readHead } from './judge.ts'
import { findTextPart } from './text-part.ts'

const PART_BYTES = 1024 * 1024

export interface SnapshotColumns {
  readonly reducer_name: Stored
  readonly up_to_index: Stored
  readonly bytes: number | null
  /** Postgres only: it was not measured. */
  readonly is_large?: boolean
  readonly updated_at: Stored
}

type Source = SnapshotRef['source']
const TABLES = { head: 'a2_snapshots', history: 'a2_snapshot_history' } as const

/** Everything stored of a session's reducers, by name. */
export function readSnapshots(scope: Scope, sessionId: string): SessionSnapshots {
  return toSnapshots({
    clearIndex: readClearIndex(scope, sessionId),
    sessionHead: readHead(scope, sessionId),
    pins: readPins(scope, sessionId),
    heads: readRows(scope, 'head', sessionId),
    history: readRows(scope, 'history', sessionId),
    isSupported: scope.schema.snapshots !== null || scope.schema.history !== null,
  })
}

/** Sorts rows by reducer; `history` must be descending by index. */
export function toSnapshots(stored: {
  readonly clearIndex: number
  readonly sessionHead: number
  readonly pins: readonly PinColumns[]
  readonly heads: readonly SnapshotColumns[]
  readonly history: readonly SnapshotColumns[]
  readonly isSupported: boolean
}): SessionSnapshots {
  const { clearIndex, sessionHead } = stored
  const pins = toPins(stored.pins)
  const toRef = (source: Source) => (row: SnapshotColumns) => ({
    name: toText(row.reducer_name),
    ref: toSnapshotRef(row, { source, clearIndex, pins }),
  })
  const heads = stored.heads.map(toRef('head'))
  const olds = stored.history.map(toRef('history'))
  const names = [...new Set([...heads, ...olds].map(({ name }) => name))].toSorted(compareText)
  return {
    sessionHead,
    clearIndex,
    reducers: names.map((name): ReducerSnapshots => {
      const head = heads.find((one) => one.name === name)?.ref ?? null
      return {
        name,
        head,
        behind: head === null ? null : sessionHead - head.upToIndex,
        history: olds.filter((one) => one.name === name).map(({ ref }) => ref),
      }
    }),
    isSupported: stored.isSupported,
  }
}

/** The head of each reducer, by name. */
export function readReducers(
  scope: Scope,
  sessionId: string,
): { readonly name: string; readonly upToIndex: number }[] {
  return readRows(scope, 'head', sessionId).map((row) => ({
    name: toText(row.reducer_name),
    upToIndex: toCount(row.up_to_index),
  }))
}

function readRows({ handle, schema }: Scope, source: Source, sessionId: string): SnapshotColumns[] {
  const shape = shapeOf(schema, source)
  if (shape === null) return []
  const updatedAt = shape.columns.has('updated_at') ? 'updated_at' : 'null'
  return handle.all<SnapshotColumns>(
    `select reducer_name as reducer_name, up_to_index as up_to_index, octet_length(state) as bytes, ${updatedAt} as updated_at
     from ${TABLES[source]} where session_id = ? order by reducer_name, up_to_index desc`,
    [sessionId],
  )
}

function shapeOf(schema: Scope['schema'], source: Source): TableShape | null {
  return source === 'head' ? schema.snapshots : schema.history
}

type Pins = ReadonlyMap<string, readonly number[]>

function pinKey(reducer: string, upToIndex: number): string {
  return JSON.stringify([reducer, upToIndex])
}

export interface PinColumns {
  readonly reducer_name: Stored
  readonly up_to_index: Stored
  readonly event_index: Stored
}

function readPins({ handle, schema }: Scope, sessionId: string): PinColumns[] {
  if (schema.pins === null) return []
  return handle.all<PinColumns>(
    `select reducer_name as reducer_name, up_to_index as up_to_index,
       event_index as event_index from a2_snapshot_pins
     where session_id = ? order by event_index`,
    [sessionId],
  )
}

function toPins(rows: readonly PinColumns[]): Pins {
  const pins = new Map<string, number[]>()
  for (const row of rows) {
    const key = pinKey(toText(row.reducer_name), toCount(row.up_to_index))
    const events = pins.get(key) ?? []
    events.push(toCount(row.event_index))
    pins.set(key, events)
  }
  return pins
}

function toSnapshotRef(
  row: SnapshotColumns,
  at: { source: Source; clearIndex: number; pins: Pins },
): SnapshotRef {
  const upToIndex = toCount(row.up_to_index)
  return {
    upToIndex,
    source: at.source,
    bytes: row.bytes ?? 0,
    ...(row.is_large === true ? { areBytesEstimated: true } : {}),
    updatedAt: toTime(row.updated_at),
    isBelowMarker: upToIndex < at.clearIndex,
    pinnedBy: at.pins.get(pinKey(toText(row.reducer_name), upToIndex)) ?? [],
  }
}

/** A part of one stored state; undefined when it is not stored there any more. */
export function findState(
  scope: Scope,
  key: {
    sessionId: string
    reducer: string
    upToIndex: number
    source: Source
    offsetBytes: number
  },
): TextPart | undefined {
  if (shapeOf(scope.schema, key.source) === null) return undefined
  return findTextPart(scope, {
    column: 'state',
    from: `${TABLES[key.source]} where session_id = ? and reducer_name = ? and up_to_index = ?`,
    params: [key.sessionId, key.reducer, key.upToIndex],
    offsetBytes: key.offsetBytes,
    maxBytes: PART_BYTES,
  })
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
