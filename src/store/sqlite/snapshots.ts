import type { SnapshotWrite, StateAnswer, StateBounds } from '../store.ts'
import type { SqliteContext } from './context.ts'
import type { Events } from './events.ts'
import { parseJson } from './rows.ts'
import type { SessionLog } from './session-log.ts'

interface SnapshotRow {
  readonly up_to_index: number
  readonly state: string
  readonly updated_at: number
}

export interface CheckedSnapshot extends SnapshotWrite {
  readonly json: string
}

const NO_BOUND = Number.MAX_SAFE_INTEGER

export function bindSnapshotReads(context: SqliteContext, log: SessionLog, events: Events) {
  const head = context.prepare(
    `select up_to_index, state, updated_at from a2_snapshots
      where session_id = ? and reducer_name = ? and up_to_index >= ?`,
  )
  const history = context.prepare(
    `select up_to_index, state from a2_snapshot_history
      where session_id = ? and reducer_name = ? and up_to_index >= ? and up_to_index <= ?
      order by up_to_index desc limit 1`,
  )
  /** Several statements: run it inside one view of the database. */
  return (sessionId: string, reducer: string, bounds: StateBounds = {}): StateAnswer => {
    const through = bounds.throughIndex ?? NO_BOUND
    const snapshotThrough = bounds.snapshotThroughIndex ?? through
    const clearIndex = log.clearIndexOf(sessionId)
    const newest = head.get<SnapshotRow>(sessionId, reducer, clearIndex)
    const found =
      newest !== undefined && newest.up_to_index <= snapshotThrough
        ? newest
        : history.get<SnapshotRow>(sessionId, reducer, clearIndex, snapshotThrough)
    const after = Math.max(found?.up_to_index ?? 0, clearIndex - 1)
    return {
      ...(clearIndex > 0 ? { clearIndex } : {}),
      headIndex: newest?.up_to_index ?? null,
      snapshot:
        found === undefined
          ? null
          : { index: found.up_to_index, state: parseJson(found.state, `a state of '${reducer}'`) },
      events: events.read(sessionId, { after, through, limit: -1 }),
    }
  }
}

export function bindSnapshotWrites(context: SqliteContext, log: SessionLog) {
  const head = context.prepare(
    `select up_to_index, state, updated_at from a2_snapshots
      where session_id = ? and reducer_name = ?`,
  )
  const putHead = context.prepare(
    `insert into a2_snapshots (session_id, reducer_name, up_to_index, state, updated_at)
     values (?, ?, ?, ?, ?)
     on conflict (session_id, reducer_name) do update
        set up_to_index = excluded.up_to_index, state = excluded.state,
            updated_at = excluded.updated_at`,
  )
  const putHistory = context.prepare(
    `insert into a2_snapshot_history (session_id, reducer_name, up_to_index, state, updated_at)
     values (?, ?, ?, ?, ?)
     on conflict (session_id, reducer_name, up_to_index) do update
        set state = excluded.state, updated_at = excluded.updated_at`,
  )
  const pin = context.prepare(
    `insert into a2_snapshot_pins (session_id, event_index, reducer_name, up_to_index)
     select session_id, idx, ?, ? from a2_events
      where session_id = ? and idx = ? and idx > ? and processed_at is null and failed_at is null
     on conflict do nothing`,
  )
  const pinned = context.prepare(
    `select 1 from a2_snapshot_pins
      where session_id = ? and reducer_name = ? and up_to_index = ? limit 1`,
  )
  /** Inside a transaction. */
  return (sessionId: string, reducer: string, writes: readonly CheckedSnapshot[]): void => {
    const clearIndex = log.clearIndexOf(sessionId)
    const now = context.clock.now().getTime()
    const isPinned = (index: number) => pinned.get(sessionId, reducer, index) !== undefined
    for (const write of writes.toSorted((a, b) => a.index - b.index)) {
      // A state folded before the latest clear belongs to a lifetime that is gone.
      if (write.index < clearIndex) continue
      for (const eventIndex of write.pinEventIndexes ?? [])
        pin.run(reducer, write.index, sessionId, eventIndex, clearIndex)
      const old = head.get<SnapshotRow>(sessionId, reducer)
      if (old !== undefined && write.index < old.up_to_index) {
        if (isPinned(write.index)) putHistory.run(sessionId, reducer, write.index, write.json, now)
        continue
      }
      const isLeftBehind =
        old !== undefined && old.up_to_index >= clearIndex && write.index > old.up_to_index
      if (isLeftBehind && isPinned(old.up_to_index))
        putHistory.run(sessionId, reducer, old.up_to_index, old.state, old.updated_at)
      putHead.run(sessionId, reducer, write.index, write.json, now)
    }
  }
}
