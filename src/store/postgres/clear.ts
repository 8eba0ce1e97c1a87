import { CLEAR_EVENT_TYPE } from '../clear-marker.ts'
import type { ClearAnswer, ClearRequest, ReclaimAnswer } from '../store.ts'
import { statement, type Transaction } from './connection.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog } from './session-log.ts'

const RECLAIM_BATCH = 256

interface Context {
  readonly now: () => number
  /** The marker's id; the same when the transaction runs again. */
  readonly markerId: () => string
  /** Default: that of our own stores. */
  readonly markerType?: string
}

export function bindClear(tables: Tables, log: SessionLog) {
  // A claim that waits for the clearing handler's row looks again and passes it by.
  const releaseRow = statement(
    `update ${tables.events}
        set lane_ready = false, claim_holder = null, claim_expires_at = null
      where session_id = $1 and idx = $2`,
  )
  const setClearIndex = statement(
    `insert into ${tables.clears} (session_id, clear_index) values ($1, $2)
     on conflict (session_id) do update set clear_index = excluded.clear_index`,
  )
  return async (
    tx: Transaction,
    { sessionId, ifLastIndex, cause }: ClearRequest,
    { now, markerId, markerType = CLEAR_EVENT_TYPE }: Context,
  ): Promise<ClearAnswer> => {
    const { head, clearIndex } = await log.holdSession(tx, sessionId)
    if (cause !== undefined) await log.assertCurrent(tx, sessionId, [cause], clearIndex)
    if (ifLastIndex !== undefined) {
      // The marker stands right behind the head that was asked for: this very clear happened before.
      if (clearIndex === ifLastIndex + 1) return { cleared: true, index: head, clearIndex }
      if (ifLastIndex !== head) return { cleared: false, index: head, clearIndex }
    }
    if (head === 0 || clearIndex === head) return { cleared: true, index: head, clearIndex }
    const marker = head + 1
    const event = { type: markerType, json: 'null', settled: true }
    tx.later(log.insert({ sessionId, events: [event], idAt: markerId }, now()))
    if (cause !== undefined) tx.later(releaseRow(sessionId, cause.index))
    tx.later(setClearIndex(sessionId, marker))
    return { cleared: true, index: marker, clearIndex: marker }
  }
}

/**
 * Deletes rows nobody holds, and never waits: it can be part of no deadlock. A later call takes the rest.
 * With `ifClearIndex`, nothing is deleted once the session was cleared beyond it.
 */
export function bindReclaim(tables: Tables) {
  const deleteBatch = statement(`
    with boundary as materialized (
      select ${clearIndexIn(tables)} as clear_index
    ), batch as materialized (
      select idx from ${tables.events}
       where session_id = $1 and idx < (select clear_index from boundary where clear_index <= $2::bigint)
       order by idx limit ${RECLAIM_BATCH}
       for update skip locked
    ), deleted as (
      delete from ${tables.events} event using batch
       where event.session_id = $1 and event.idx = batch.idx
      returning event.idx
    ), unpinned as (
      delete from ${tables.pins} pin using deleted
       where pin.session_id = $1 and pin.event_index = deleted.idx
    )
    select (select count(*) from deleted) as deleted, clear_index from boundary`)
  const rest = statement(
    `select 1 from ${tables.events} where session_id = $1 and idx < $2 limit 1`,
  )
  const sweep = statement(sweepOf([tables.pins, tables.history, tables.snapshots]))
  return async (
    tx: Transaction,
    sessionId: string,
    ifClearIndex = Number.MAX_SAFE_INTEGER,
  ): Promise<ReclaimAnswer | 'cleared-again'> => {
    const [rows] = await tx.send(deleteBatch(sessionId, ifClearIndex))
    const deleted = Number(rows?.[0]?.['deleted'])
    const clearIndex = Number(rows?.[0]?.['clear_index'])
    if (clearIndex > ifClearIndex) return 'cleared-again'
    if (clearIndex === 0) return { deleted: 0, done: true }
    if (deleted > 0) return { deleted, done: false }
    const [left = []] = await tx.send(rest(sessionId, clearIndex))
    if (left.length > 0) return { deleted: 0, done: false }
    const [swept] = await tx.commit(sweep(sessionId, clearIndex))
    return { deleted: 0, done: Number(swept?.[0]?.['skipped']) === 0 }
  }
}

/** Deletes what lies below the marker in each table but for rows that others hold, and counts those. */
function sweepOf(tables: readonly string[]): string {
  const free = tables.map(
    (table, n) => `free${n} as materialized (
      select ctid from ${table} where session_id = $1 and up_to_index < $2 for update skip locked)`,
  )
  const gone = tables.map(
    (table, n) => `gone${n} as (
      delete from ${table} target using free${n} where target.ctid = free${n}.ctid)`,
  )
  const skipped = tables.map(
    (table, n) => `(select count(*) from ${table} where session_id = $1 and up_to_index < $2)
      - (select count(*) from free${n})`,
  )
  return `with ${[...free, ...gone].join(', ')} select ${skipped.join(' + ')} as skipped`
}
