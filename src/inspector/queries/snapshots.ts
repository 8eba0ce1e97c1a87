import type { TextPart } from '../../model/event.ts'
import type { ReducerSnapshots, SessionSnapshots, SnapshotRef } from '../../model/snapshot.ts'
import type { Scope } from '../handle.ts'
import type { TableShape } from '../sqlite-schema.ts'
import { type Stored, toCount, toText, toTime } from '../sqlite-values.ts'
import { readClearIndex, readHead } from './judge.ts'
import { findTextPart } from './text-part.ts'

const PART_BYTES = 1024 * 1024

interface SnapshotColumns {
  readonly reducer_name: Stored
  readonly up_to_index: Stored
  readonly bytes: number | null
  readonly updated_at: Stored
}

type Source = SnapshotRef['source']
const TABLES = { head: 'a2_snapshots', history: 'a2_snapshot_history' } as const

/** Everything stored of a session's reducers, by name. */
export function readSnapshots(scope: Scope, sessionId: string): SessionSnapshots {
  const clearIndex = readClearIndex(scope, sessionId)
  const sessionHead = readHead(scope, sessionId)
  const { snapshots, history } = scope.schema
  const pins = readPins(scope, sessionId)
  const toRef = (source: Source) => (row: SnapshotColumns) => ({
    name: toText(row.reducer_name),
    ref: toSnapshotRef(row, { source, clearIndex, pins }),
  })
  const heads = readRows(scope, 'head', sessionId).map(toRef('head'))
  const olds = readRows(scope, 'history', sessionId).map(toRef('history'))
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
    isSupported: snapshots !== null || history !== null,
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
    `select reducer_name, up_to_index, octet_length(state) as bytes, ${updatedAt} as updated_at
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

function readPins({ handle, schema }: Scope, sessionId: string): Pins {
  const pins = new Map<string, number[]>()
  if (schema.pins === null) return pins
  const rows = handle.all<{ reducer_name: Stored; up_to_index: Stored; event_index: Stored }>(
    `select reducer_name, up_to_index, event_index from a2_snapshot_pins
     where session_id = ? order by event_index`,
    [sessionId],
  )
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
