import { type CheckedEvent, newStoredEvent } from '../event-batch.ts'
import type { StoredEvent } from '../store.ts'
import type { Tables } from './schema.ts'

/** Events that are stored at one moment behind the head of their session. */
export interface Batch {
  readonly sessionId: string
  readonly events: readonly CheckedEvent[]
  readonly idAt: (position: number) => string
}

/**
 * Stores a batch, up to its `where`. The parameters $1 to $10 are those of `batchParams`; `status` is a
 * relation of one row at most, with the head and the clear index of the session: none, and nothing is stored.
 * The limit takes nothing away: with it the planner expects as few rows without the parameters as with them,
 * and plans a prepared statement once instead of every time.
 */
export function insertSql(tables: Tables, status: string): string {
  return `
    insert into ${tables.events}
      (session_id, idx, event_type, payload, event_id, created_at, cause, lane, lane_ready,
       processed_at)
    select $1::text, status.head + event.position, event.type, event.payload::jsonb, event.id,
           $2::bigint, event.cause::jsonb, event.lane,
           event.lane is null or (event.leads and not exists (
             select 1 from ${tables.events}
              where session_id = $1 and lane = event.lane and processed_at is null
                and idx > status.clear_index)),
           case when event.settled then $2::bigint end
      from ${status} as status
     cross join (
       select * from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                            $8::boolean[], $9::boolean[]) with ordinality
           as batch (type, payload, id, cause, lane, leads, settled, position)
        limit $10) event`
}

/**
 * The rows that have one of the ids in a parameter. Each is looked for by the index: a plan that was made
 * when the table was empty would read all of it for a list of ids, and is kept.
 */
export function ownersIn(tables: Tables, ids: string): string {
  return `
    select owner.* from unnest(${ids}::text[]) as wanted (id)
     cross join lateral (
       select * from ${tables.events} where event_id = wanted.id limit 1) owner`
}

export function batchParams({ sessionId, events, idAt }: Batch, now: number): readonly unknown[] {
  return [
    sessionId,
    now,
    events.map((event) => event.type),
    events.map((event) => event.json),
    events.map((event, position) => event.id ?? idAt(position)),
    events.map(({ cause }) =>
      cause == null ? null : JSON.stringify({ index: cause.index, attempt: cause.attempt }),
    ),
    events.map((event) => event.lane ?? null),
    leadsOf(events),
    events.map((event) => event.settled === true),
    events.length,
  ]
}

/** Whether each event comes before all others of its lane that the batch leaves unfinished. */
function leadsOf(events: readonly CheckedEvent[]): boolean[] {
  const taken = new Set<string>()
  return events.map(({ lane, settled }) => {
    if (lane == null) return true
    const leads = !taken.has(lane)
    if (settled !== true) taken.add(lane)
    return leads
  })
}

/** The batch as it stands once it is stored. */
export function toStored(batch: Batch, head: number, now: number): StoredEvent[] {
  const { sessionId, events, idAt } = batch
  return events.map((event, position) =>
    newStoredEvent(sessionId, head + 1 + position, event, {
      id: event.id ?? idAt(position),
      now,
    }),
  )
}
