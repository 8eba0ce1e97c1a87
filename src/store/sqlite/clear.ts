import type { ClearOutcome } from '../foreign.ts'
import type { ClearRequest, ReclaimAnswer } from '../store.ts'
import type { SqliteContext } from './context.ts'
import type { SessionLog } from './session-log.ts'

const RECLAIM_BATCH = 256

const SET_CLEAR_INDEX = `
insert into a2_clears (session_id, clear_index) values (?, ?)
on conflict (session_id) do update set clear_index = excluded.clear_index`

const LAST_OF_BATCH = `
select max(idx) as last from (
  select idx from a2_events where session_id = ? and idx < ? order by idx limit ${RECLAIM_BATCH}
)`

export function bindClear(context: SqliteContext, log: SessionLog) {
  const setClearIndex = context.prepare(SET_CLEAR_INDEX)
  /** Inside a transaction. `makeTable` is called when a2_clears is missing and a marker is due. */
  const clear = (request: ClearRequest, makeTable?: () => void): ClearOutcome => {
    const { sessionId, ifLastIndex, cause } = request
    const clearIndex = log.clearIndexOf(sessionId)
    if (cause !== undefined) log.assertCurrent(sessionId, cause, clearIndex)
    const head = log.headOf(sessionId)
    if (ifLastIndex !== undefined) {
      // The marker stands right behind the head that was asked for: this very clear happened before.
      if (clearIndex === ifLastIndex + 1) return { cleared: true, index: head, clearIndex }
      if (ifLastIndex !== head) return { cleared: false, index: head, clearIndex }
    }
    if (head === 0 || clearIndex === head) return { cleared: true, index: head, clearIndex }
    if (!context.hasClearsTable()) {
      if (makeTable === undefined) return 'needs-clears-table'
      makeTable()
    }
    const marker = head + 1
    const now = context.clock.now().getTime()
    log.insert(
      {
        sessionId,
        index: marker,
        type: context.clearEventType,
        payload: 'null',
        id: context.generateId(),
        createdAt: now,
        cause: null,
        lane: null,
        processedAt: now,
      },
      clearIndex,
    )
    setClearIndex.run(sessionId, marker)
    return { cleared: true, index: marker, clearIndex: marker }
  }
  return { clear, reclaim: bindReclaim(context, log) }
}

function bindReclaim(context: SqliteContext, log: SessionLog) {
  const lastOfBatch = context.prepare(LAST_OF_BATCH)
  const deleteEvents = context.prepare('delete from a2_events where session_id = ? and idx <= ?')
  const deletePins = context.prepare(
    'delete from a2_snapshot_pins where session_id = ? and event_index <= ?',
  )
  const rest = context.prepare('select 1 from a2_events where session_id = ? and idx < ? limit 1')
  const sweeps = ['a2_snapshot_pins', 'a2_snapshot_history', 'a2_snapshots'].map((table) =>
    context.prepare(`delete from ${table} where session_id = ? and up_to_index < ?`),
  )
  /** Inside a transaction. */
  return (sessionId: string): ReclaimAnswer => {
    const clearIndex = log.clearIndexOf(sessionId)
    if (clearIndex === 0) return { deleted: 0, done: true }
    const last = lastOfBatch.get<{ last: number | null }>(sessionId, clearIndex)?.last ?? null
    let deleted = 0
    if (last !== null) {
      deleted = deleteEvents.run(sessionId, last)
      deletePins.run(sessionId, last)
    }
    const done = rest.get(sessionId, clearIndex) === undefined
    if (done) for (const sweep of sweeps) sweep.run(sessionId, clearIndex)
    return { deleted, done }
  }
}
