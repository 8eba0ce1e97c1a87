import type { EventCause } from '../model/event.ts'

/** The closed list of codes an `A2Error` carries. An operation that throws has changed nothing. */
export type A2ErrorCode =
  /** A cause that is cleared, not the latest attempt, or failed for good. */
  | 'SUPERSEDED_ATTEMPT'
  /** Scheduled work whose origin was cleared. */
  | 'SESSION_CLEARED'
  /** One batch names an event id twice. */
  | 'DUPLICATE_EVENT_ID'
  /** Some ids of a batch are stored already, others are not. */
  | 'PARTIAL_DUPLICATE_BATCH'
  /** An event id belongs to another session. */
  | 'EVENT_ID_CONFLICT'
  /** A value this database cannot hold unchanged; the message names it. */
  | 'UNSTORABLE_VALUE'
  /** The database did not carry the operation out; `cause` is the driver's error. */
  | 'STORE_UNAVAILABLE'

export class A2Error extends Error {
  override readonly name = 'A2Error'
  readonly code: A2ErrorCode

  constructor(code: A2ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export function supersededAttempt(sessionId: string, cause: EventCause): A2Error {
  return new A2Error(
    'SUPERSEDED_ATTEMPT',
    `attempt ${cause.attempt} no longer owns event ${cause.index} in session '${sessionId}'`,
  )
}

export function sessionCleared(sessionId: string, originIndex: number): A2Error {
  return new A2Error(
    'SESSION_CLEARED',
    `scheduled work from event ${originIndex} was cleared in session '${sessionId}'`,
  )
}

export function duplicateEventId(id: string): A2Error {
  return new A2Error('DUPLICATE_EVENT_ID', `event id '${id}' appears twice in one batch`)
}

export function eventIdConflict(id: string, otherSessionId: string): A2Error {
  return new A2Error(
    'EVENT_ID_CONFLICT',
    `event id '${id}' already belongs to session '${otherSessionId}'`,
  )
}

export function partlyAppended(): A2Error {
  return new A2Error(
    'PARTIAL_DUPLICATE_BATCH',
    'some events of the batch are already appended, others are not',
  )
}

export function alreadyReturned(): A2Error {
  return new A2Error(
    'PARTIAL_DUPLICATE_BATCH',
    'returned event batch contains an already-appended event id',
  )
}

export function noSuchEvent(sessionId: string, index: number): TypeError {
  return new TypeError(`no event at index ${index} in session '${sessionId}'`)
}

export function storeClosed(): A2Error {
  return new A2Error('STORE_UNAVAILABLE', 'the store is closed')
}
