import { suppliedIds } from '../event-batch.ts'
import { eventIdConflict, partlyAppended, sessionCleared } from '../errors.ts'
import { idempotentReplay } from '../idempotent-replay.ts'
import type { AppendAnswer, SessionEvent, StoredEvent } from '../store.ts'
import { type Connection, statement, type Transaction } from './connection.ts'
import { type Batch, toStored } from './new-events.ts'
import { PLAIN_COLUMNS, toSessionEvent, toStoredEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog, sessionLock } from './session-log.ts'

/** A range of indexes, `after` excluded and `through` included; null is no bound. */
export interface ReadRange {
  readonly after: number
  readonly through: number | null
  readonly limit: number | null
}

export function bindEvents(
  connection: Connection,
  tables: Tables,
  log: SessionLog,
  context: { readonly now: () => number; readonly columns: string },
) {
  const range = (columns: string) =>
    statement(
      `select ${columns} from ${tables.events} event
        where session_id = $1 and idx > $2 and ($3::bigint is null or idx <= $3)
          and idx >= ${clearIndexIn(tables)}
        order by idx limit $4`,
    )
  const wholeRange = range(context.columns)
  const plainRange = range(PLAIN_COLUMNS)
  const dead = statement(
    `select ${context.columns} from ${tables.events} event
      where session_id = $1 and processed_at is null and failed_at is not null
        and idx > ${clearIndexIn(tables)}
      order by idx`,
  )

  /**
   * All in one round trip, as far as nothing has to be decided in between: undefined where nothing was
   * stored. The insert is a statement of its own behind the lock, so that it sees the clear it waited for.
   */
  const appendAtOnce = (
    batch: Batch,
    ids: readonly string[],
    originIndex: number | undefined,
  ): Promise<AppendAnswer | undefined> =>
    connection.transaction(async (tx) => {
      const now = context.now()
      const [, rows = []] = await tx.commit(
        sessionLock(batch.sessionId),
        log.insert(batch, now, { originIndex, ids }),
      )
      if (rows.length === 0) return undefined
      const head = Math.min(...rows.map((row) => Number(row['idx']))) - 1
      return answer(batch, head, now, rows[0]?.['has_pending'] === true)
    })

  const appendInSteps = async (
    tx: Transaction,
    batch: Batch,
    ids: readonly string[],
    originIndex: number | undefined,
  ): Promise<AppendAnswer> => {
    const { sessionId, events } = batch
    const { head, clearIndex, hasPending, found } = await log.holdForAppend(tx, sessionId, ids)
    const owners = await log.keepLive(tx, sessionId, found, clearIndex)
    if (owners.length > 0) {
      const alien = owners.find((row) => row['session_id'] !== sessionId)
      if (alien !== undefined)
        throw eventIdConflict(String(alien['event_id']), String(alien['session_id']))
      if (owners.length < events.length) throw partlyAppended()
      return { events: idempotentReplay(events, owners.map(toStoredEvent)), hasPending }
    }
    if (originIndex !== undefined && originIndex <= clearIndex)
      throw sessionCleared(sessionId, originIndex)
    const causes = events.flatMap((event) => event.cause ?? [])
    await log.assertCurrent(tx, sessionId, causes, clearIndex)
    const now = context.now()
    tx.later(log.insert(batch, now))
    return answer(batch, head, now, hasPending)
  }

  const append = async (batch: Batch, originIndex: number | undefined): Promise<AppendAnswer> => {
    const ids = suppliedIds(batch.events)
    const atOnce = isCommon(batch, ids, originIndex)
      ? await appendAtOnce(batch, ids, originIndex)
      : undefined
    return atOnce ?? connection.transaction((tx) => appendInSteps(tx, batch, ids, originIndex))
  }

  return {
    append,
    async hasPending(sessionId: string): Promise<boolean> {
      const [row] = await connection.query(log.pending(sessionId))
      return row?.['has_pending'] === true
    },
    async read(sessionId: string, bounds: ReadRange): Promise<StoredEvent[]> {
      const rows = await connection.query(
        wholeRange(sessionId, bounds.after, bounds.through, bounds.limit),
      )
      return rows.map(toStoredEvent)
    },
    async readPlain(sessionId: string, bounds: ReadRange): Promise<SessionEvent[]> {
      const rows = await connection.query(
        plainRange(sessionId, bounds.after, bounds.through, bounds.limit),
      )
      return rows.map(toSessionEvent)
    },
    async deadLetters(sessionId: string): Promise<StoredEvent[]> {
      const rows = await connection.query(dead(sessionId))
      return rows.map(toStoredEvent)
    },
  }
}

/** Nothing but an id or an origin can stand against it, and no id is made that may not be used. */
function isCommon(
  { events }: Batch,
  ids: readonly string[],
  originIndex: number | undefined,
): boolean {
  if (events.some((event) => event.cause != null)) return false
  return ids.length === events.length || (ids.length === 0 && originIndex === undefined)
}

function answer(batch: Batch, head: number, now: number, wasPending: boolean): AppendAnswer {
  return {
    events: toStored(batch, head, now),
    hasPending: wasPending || batch.events.some((event) => event.settled !== true),
  }
}
