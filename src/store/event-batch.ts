import { duplicateEventId } from './errors.ts'
import type { Storable } from './storable.ts'
import type { NewEvent, ReturnedEvent, StoredEvent } from './store.ts'

/** An event that was checked: everything in it can be stored. */
export interface CheckedEvent extends NewEvent {
  readonly json: string
}

/** A completion whose returned events were checked. */
export interface CheckedCompletion {
  readonly sessionId: string
  readonly index: number
  readonly attempt: number
  readonly events: readonly (ReturnedEvent & CheckedEvent & { readonly id: string })[]
}

/** The ids that were given; throws when one is given twice. */
export function suppliedIds(events: readonly { readonly id?: string | undefined }[]): string[] {
  const ids = new Set<string>()
  for (const { id } of events) {
    if (id === undefined) continue
    if (ids.has(id)) throw duplicateEventId(id)
    ids.add(id)
  }
  return [...ids]
}

export function checkEvents<Event extends NewEvent>(
  storable: Storable,
  events: readonly Event[],
): (Event & CheckedEvent)[] {
  return events.map((event, position) => {
    const name = `event ${position + 1} of the batch (type '${event.type}')`
    storable.text(`the type of ${name}`, event.type)
    if (event.id !== undefined) storable.text(`the id of ${name}`, event.id)
    if (event.lane != null) storable.text(`the lane of ${name}`, event.lane)
    return { ...event, json: storable.json(`the payload of ${name}`, event.payload) }
  })
}

/** An event as it stands right after it was inserted. */
export function newStoredEvent(
  sessionId: string,
  index: number,
  event: CheckedEvent,
  { id, now }: { readonly id: string; readonly now: number },
): StoredEvent {
  return {
    sessionId,
    index,
    id,
    type: event.type,
    // What a later read will give, not the caller's own object.
    payload: JSON.parse(event.json) as unknown,
    createdAt: new Date(now),
    cause: event.cause == null ? null : { index: event.cause.index, attempt: event.cause.attempt },
    lane: event.lane ?? null,
    processedAt: event.settled === true ? new Date(now) : null,
    attemptCount: 0,
    failureCount: 0,
    failedAt: null,
    lastError: null,
    claimHolder: null,
    claimExpiresAt: null,
  }
}
