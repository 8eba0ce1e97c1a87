import { type CheckedEvent, newStoredEvent, suppliedIds } from '../event-batch.ts'
import { eventIdConflict, partlyAppended, sessionCleared } from '../errors.ts'
import { idempotentReplay } from '../idempotent-replay.ts'
import type { AppendAnswer, SessionEvent, StoredEvent } from '../store.ts'
import { type Connection, statement, type Transaction } from './connection.ts'
import { PLAIN_COLUMNS, toSessionEvent, toStoredEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn, type SessionLog } from './session-log.ts'

/** A range of indexes, `after` excluded and `through` included; null is no bound. */
export interface ReadRange {
  readonly after: number
  readonly through: number | null
  readonly limit: number | null
}

export interface Batch {
  readonly sessionId: string
  readonly events: readonly CheckedEvent[]
  readonly idAt: (position: number) => string
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

  /** Stores a batch behind the head with the next round trip, all at one moment. */
  const insertBatch = (
    tx: Transaction,
    { sessionId, events, idAt }: Batch,
    at: { readonly head: number; readonly clearIndex: number; readonly now: number },
  ): StoredEvent[] =>
    events.map((event, offset) => {
      const stored = newStoredEvent(sessionId, at.head + 1 + offset, event, {
        id: event.id ?? idAt(offset),
        now: at.now,
      })
      tx.later(log.insert({ ...stored, json: event.json }, at.clearIndex))
      return stored
    })

  const append = async (
    tx: Transaction,
    batch: Batch,
    originIndex: number | undefined,
  ): Promise<AppendAnswer> => {
    const { sessionId, events } = batch
    const ids = suppliedIds(events)
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
    return {
      events: insertBatch(tx, batch, { head, clearIndex, now: context.now() }),
      hasPending: hasPending || events.some((event) => event.settled !== true),
    }
  }

  return {
    insertBatch,
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

export type Events = ReturnType<typeof bindEvents>
