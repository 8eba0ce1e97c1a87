import { type CheckedEvent, newStoredEvent, suppliedIds } from '../event-batch.ts'
import { eventIdConflict, partlyAppended, sessionCleared } from '../errors.ts'
import { idempotentReplay } from '../idempotent-replay.ts'
import type { AppendAnswer, StoredEvent } from '../store.ts'
import type { SqliteContext } from './context.ts'
import { type EventRow, toStoredEvent } from './rows.ts'
import { CLEAR_INDEX, type SessionLog } from './session-log.ts'

/** A range of indexes, `after` excluded and `through` included; no limit is −1. */
export interface ReadRange {
  readonly after: number
  readonly through: number
  readonly limit: number
}

export function bindEvents(context: SqliteContext, log: SessionLog, columns: string) {
  const owner = context.prepare(`select ${columns} from a2_events where event_id = ?`)
  const release = context.prepare('delete from a2_events where session_id = ? and event_id = ?')
  const range = context.prepare(
    `select ${columns} from a2_events
      where session_id = ? and idx > ? and idx <= ? and idx >= ${CLEAR_INDEX}
      order by idx limit ?`,
  )
  const dead = context.prepare(
    `select ${columns} from a2_events
      where session_id = ? and processed_at is null and failed_at is not null
        and idx > ${CLEAR_INDEX}
      order by idx`,
  )

  /** The rows that own `ids`. Rows of this session below its marker do not: they are deleted, so that their ids are free. */
  const liveOwnersOf = (sessionId: string, ids: readonly string[], clearIndex: number) =>
    ids
      .flatMap((id) => owner.get<EventRow>(id) ?? [])
      .filter((row) => {
        if (row.session_id !== sessionId || row.idx >= clearIndex) return true
        release.run(sessionId, row.event_id)
        return false
      })

  /** Stores a batch behind the head, all at one moment. */
  const insertBatch = (
    sessionId: string,
    events: readonly CheckedEvent[],
    at: { readonly head: number; readonly clearIndex: number; readonly now: number },
  ): StoredEvent[] =>
    events.map((event, offset) => {
      const stored = newStoredEvent(sessionId, at.head + 1 + offset, event, {
        id: event.id ?? context.generateId(),
        now: at.now,
      })
      log.insert(
        {
          ...stored,
          payload: event.json,
          createdAt: at.now,
          processedAt: event.settled === true ? at.now : null,
        },
        at.clearIndex,
      )
      return stored
    })

  const append = (
    sessionId: string,
    events: readonly CheckedEvent[],
    originIndex?: number,
  ): AppendAnswer => {
    const clearIndex = log.clearIndexOf(sessionId)
    const owners = liveOwnersOf(sessionId, suppliedIds(events), clearIndex)
    if (owners.length > 0) {
      const alien = owners.find((row) => row.session_id !== sessionId)
      if (alien !== undefined) throw eventIdConflict(alien.event_id, alien.session_id)
      if (owners.length < events.length) throw partlyAppended()
      return {
        events: idempotentReplay(events, owners.map(toStoredEvent)),
        hasPending: log.hasPending(sessionId, clearIndex),
      }
    }
    if (originIndex !== undefined && originIndex <= clearIndex)
      throw sessionCleared(sessionId, originIndex)
    for (const { cause } of events)
      if (cause != null) log.assertCurrent(sessionId, cause, clearIndex)
    const hadPending = log.hasPending(sessionId, clearIndex)
    const at = { head: log.headOf(sessionId), clearIndex, now: context.clock.now().getTime() }
    return {
      events: insertBatch(sessionId, events, at),
      hasPending: hadPending || events.some((event) => event.settled !== true),
    }
  }

  return {
    liveOwnersOf,
    insertBatch,
    /** Inside a transaction. */
    append,
    read: (sessionId: string, { after, through, limit }: ReadRange): StoredEvent[] =>
      range.all<EventRow>(sessionId, after, through, sessionId, limit).map(toStoredEvent),
    deadLetters: (sessionId: string): StoredEvent[] =>
      dead.all<EventRow>(sessionId, sessionId).map(toStoredEvent),
    /** Events by id, in any session. */
    findById: (id: string): StoredEvent | undefined => {
      const row = owner.get<EventRow>(id)
      return row === undefined ? undefined : toStoredEvent(row)
    },
  }
}

export type Events = ReturnType<typeof bindEvents>
