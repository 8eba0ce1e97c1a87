import type { EventCause } from '../../model/event.ts'
import { A2Error, noSuchEvent, supersededAttempt } from '../errors.ts'
import { type Row, statement, type Statement, type Transaction } from './connection.ts'
import { type Batch, batchParams, insertSql, ownersIn } from './new-events.ts'
import type { Tables } from './schema.ts'

/** A session's log as it stands once the session lock is held. */
export interface LogStatus {
  /** 0 when the session has no event. */
  readonly head: number
  /** 0 when the session was never cleared. */
  readonly clearIndex: number
  readonly hasPending: boolean
}

/** A session's clear index inside another statement. It is as fresh as that statement. */
export function clearIndexIn(tables: Tables, session = '$1'): string {
  return `coalesce((select clear_index from ${tables.clears} where session_id = ${session}), 0)`
}

/** A session's head and clear index, and what else is asked, inside another statement. */
export function logStatusIn(tables: Tables, more = ''): string {
  return `select coalesce(max(idx), 0) as head, ${clearIndexIn(tables)} as clear_index${more}
            from ${tables.events} where session_id = $1`
}

/** One writer assigns indexes: every append, clear and completion of a session holds this. */
export const sessionLock = statement('select pg_advisory_xact_lock(hashtext($1))')

/** What the writing operations share. `columns` is the select list of an event row, with `event` as its table. */
export function bindSessionLog(tables: Tables, columns: string) {
  const clearIndex = clearIndexIn(tables)
  const unfinished = `exists (
    select 1 from ${tables.events} pending
     where pending.session_id = $1 and pending.processed_at is null
       and pending.idx > ${clearIndex})`

  /** Reads the status, and beside it the rows that have one of the ids. */
  const statusReader = (hasPending: string) => {
    const status = logStatusIn(tables, `, ${hasPending} as has_pending`)
    const alone = statement(status)
    const withOwners = statement(
      `select status.head, status.clear_index, status.has_pending, ${columns}
         from (${status}) status
         left join (${ownersIn(tables, '$2')}) event on true`,
    )
    return (sessionId: string, ids: readonly string[]): Statement =>
      ids.length === 0 ? alone(sessionId) : withOwners(sessionId, ids)
  }

  const insertGuarded = statement(
    `${insertSql(tables, `(${logStatusIn(tables)})`)}
      where status.clear_index < $11::float8 and not exists (${ownersIn(tables, '$12')})
     returning idx, ${unfinished} as has_pending`,
  )
  /**
   * Stores a batch and answers each new index, and whether the session was pending before. With a guard, it
   * stores nothing where the origin was cleared or one of the ids has a row.
   */
  const insert = (
    batch: Batch,
    now: number,
    guard: { readonly originIndex?: number | undefined; readonly ids: readonly string[] } = {
      ids: [],
    },
  ): Statement =>
    insertGuarded(
      ...batchParams(batch, now),
      guard.originIndex ?? Number.POSITIVE_INFINITY,
      guard.ids,
    )

  /** The lane of an event that is finished goes on with its lowest unfinished live event. */
  const promote = statement(
    `update ${tables.events} set lane_ready = true
      where session_id = $1 and not lane_ready and idx = (
        select idx from ${tables.events}
         where session_id = $1 and processed_at is null and idx > ${clearIndex}
           and lane = (select lane from ${tables.events}
                        where session_id = $1 and idx = $2 and processed_at is not null)
         order by idx limit 1)`,
  )

  const pending = statement(`select ${unfinished} as has_pending`)
  const clearIndexNow = statement(`select ${clearIndex} as clear_index`)
  const holdCauses = statement(
    `select idx, attempt_count, failed_at from ${tables.events}
      where session_id = $1 and idx = any($2::bigint[])
      order by idx for update`,
  )
  const owners = statement(`select ${columns} from (${ownersIn(tables, '$1')}) event`)
  const release = statement(
    `with stale as materialized (
       select idx from ${tables.events}
        where session_id = $1 and event_id = any($2::text[]) and idx < $3
        order by idx for update skip locked)
     delete from ${tables.events} event using stale
      where event.session_id = $1 and event.idx = stale.idx
     returning event.idx`,
  )

  /**
   * Holds the session, and reads its status and the rows with these ids in a statement that begins when
   * it is held: one that itself waited could miss the clear it waited for.
   */
  const holding =
    (readStatus: ReturnType<typeof statusReader>) =>
    async (
      tx: Transaction,
      sessionId: string,
      ids: readonly string[] = [],
    ): Promise<LogStatus & { readonly found: readonly Row[] }> => {
      const [, rows = []] = await tx.send(sessionLock(sessionId), readStatus(sessionId, ids))
      const [row] = rows
      return {
        head: Number(row?.['head']),
        clearIndex: Number(row?.['clear_index']),
        hasPending: row?.['has_pending'] === true,
        found: ids.length === 0 ? [] : rows.filter((one) => one['event_id'] !== null),
      }
    }
  /** Does not ask for `hasPending`. */
  const holdSession = holding(statusReader('null::boolean'))
  const holdForAppend = holding(statusReader(unfinished))

  /** Whether an index lies at or below the clear marker, as of now. */
  const isCleared = async (tx: Transaction, sessionId: string, index: number): Promise<boolean> => {
    const [rows] = await tx.send(clearIndexNow(sessionId))
    return index <= Number(rows?.[0]?.['clear_index'])
  }

  /** Throws unless every cause is its live event's latest attempt, not failed for good. Holds their rows. */
  const assertCurrent = async (
    tx: Transaction,
    sessionId: string,
    causes: readonly EventCause[],
    clearedThrough: number,
  ): Promise<void> => {
    for (const cause of causes)
      if (cause.index <= clearedThrough) throw supersededAttempt(sessionId, cause)
    if (causes.length === 0) return
    const indexes = [...new Set(causes.map((cause) => cause.index))]
    const [rows = []] = await tx.send(holdCauses(sessionId, indexes))
    const byIndex = new Map(rows.map((row) => [row['idx'], row]))
    for (const cause of causes) {
      const row = byIndex.get(cause.index)
      if (row === undefined) throw noSuchEvent(sessionId, cause.index)
      if (row['attempt_count'] !== cause.attempt || row['failed_at'] !== null)
        throw supersededAttempt(sessionId, cause)
    }
  }

  /**
   * Those of `rows` that own their ids. Rows of this session below its marker do not: they are deleted,
   * so that their ids are free. It never waits for such a row: whoever holds it may be waiting for
   * the session lock that is held here.
   */
  const keepLive = async (
    tx: Transaction,
    sessionId: string,
    rows: readonly Row[],
    clearedThrough: number,
  ): Promise<readonly Row[]> => {
    const stale = rows.filter(
      (row) => row['session_id'] === sessionId && Number(row['idx']) < clearedThrough,
    )
    if (stale.length === 0) return rows
    const ids = stale.map((row) => row['event_id'])
    const [deleted = []] = await tx.send(release(sessionId, ids, clearedThrough))
    if (deleted.length < stale.length)
      throw new A2Error(
        'STORE_UNAVAILABLE',
        `an event id being reused is still held by cleared work in session '${sessionId}'`,
      )
    return rows.filter((row) => !stale.includes(row))
  }

  return {
    holdSession,
    holdForAppend,
    insert,
    promote,
    pending,
    isCleared,
    assertCurrent,
    owners,
    keepLive,
  }
}

export type SessionLog = ReturnType<typeof bindSessionLog>
