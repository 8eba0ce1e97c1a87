/** The states an event can be in, exactly one at a time. Order: the order in which `deriveEventState` decides. */
export const EVENT_STATES = [
  'marker',
  'cleared',
  'skipped',
  'settled',
  'processed',
  'dead',
  'running',
  'expired',
  'blocked',
  'retrying',
  'ready',
] as const
export type EventState = (typeof EVENT_STATES)[number]

/** What a cleared event was when its lifetime ended. */
export type ClearedAs = 'processed' | 'settled' | 'skipped' | 'dead' | 'abandoned'

/** The stored columns from which a state follows. Times are epoch milliseconds. */
export interface EventFacts {
  readonly index: number
  readonly isMarker: boolean
  readonly laneReady: boolean
  readonly processedAt: number | null
  readonly failedAt: number | null
  readonly attemptCount: number
  readonly failureCount: number
  readonly claimExpiresAt: number | null
}

/** Where the judgement is made from. */
export interface JudgedAt {
  /** The session's clear index, 0 when it was never cleared. */
  readonly clearIndex: number
  /** The database's clock, epoch milliseconds. */
  readonly now: number
}

/** The handler run that produced an event. */
export interface EventCause {
  readonly index: number
  readonly attempt: number
}

export function deriveEventState(event: EventFacts, at: JudgedAt): EventState {
  if (event.isMarker) return 'marker'
  if (event.index < at.clearIndex) return 'cleared'
  if (event.processedAt !== null) {
    if (event.failedAt !== null) return 'skipped'
    return event.attemptCount === 0 ? 'settled' : 'processed'
  }
  if (event.failedAt !== null) return 'dead'
  if (event.claimExpiresAt !== null) return event.claimExpiresAt > at.now ? 'running' : 'expired'
  if (!event.laneReady) return 'blocked'
  return event.failureCount > 0 ? 'retrying' : 'ready'
}

/** What became of an event before its lifetime was cleared; an unfinished one was abandoned. */
export function deriveClearedAs(
  event: Pick<EventFacts, 'processedAt' | 'failedAt' | 'attemptCount'>,
): ClearedAs {
  if (event.processedAt !== null) {
    if (event.failedAt !== null) return 'skipped'
    return event.attemptCount === 0 ? 'settled' : 'processed'
  }
  return event.failedAt === null ? 'abandoned' : 'dead'
}

/**
 * One event as a list shows it: every column but the payload, of which only the beginning. In lists names (id,
 * type, lane, holder) end after 2,000 characters with `…`; the event's details have them whole.
 */
export interface EventRow {
  readonly index: number
  readonly id: string
  readonly type: string
  /** The first 400 characters of the stored payload text; empty when the column is NULL, and for payloads above 1 MiB when reading them would hold up the list. */
  readonly payloadStart: string
  /** Size of the whole stored payload in bytes; null when the column is NULL. */
  readonly payloadBytes: number | null
  /**
   * True: too large to be looked into for a list. `payloadStart` is empty then, and `payloadBytes` is what
   * it takes in the table, compressed.
   */
  readonly isPayloadLarge?: boolean
  readonly createdAt: number | null
  readonly cause: EventCause | null
  readonly lane: string | null
  readonly laneReady: boolean
  readonly processedAt: number | null
  readonly attemptCount: number
  readonly failureCount: number
  readonly failedAt: number | null
  /** The first 400 characters of the last error; null when there is none or the column does not exist. */
  readonly lastErrorStart: string | null
  readonly claimHolder: string | null
  readonly claimExpiresAt: number | null
  readonly isMarker: boolean
  readonly state: EventState
  /** Set for state `cleared` only. */
  readonly clearedAs: ClearedAs | null
  /** For a blocked event: the lowest unfinished live event of its lane; null when not blocked or not found in bounded work. */
  readonly blockedBy: number | null
}

/** A pointer to an event with just enough to name it; a type of more than 2,000 characters is cut and ends with `…`. */
export interface EventRef {
  readonly index: number
  readonly type: string
  readonly state: EventState
}

/** A column this program does not know, shown as it is stored. */
export interface RawColumn {
  readonly name: string
  /** SQLite storage class or Postgres type, for example `integer`, `text`, `blob`, `null`. */
  readonly storage: string
  /** Text form, lossless for numbers, at most 4,000 characters; null for NULL. */
  readonly text: string | null
  /** Size of the stored value in bytes, null for NULL. */
  readonly bytes: number | null
}

/** The lane of one event as seen from it. */
export interface LaneStanding {
  readonly name: string
  /** The lowest unfinished live event of the lane; null when there is none or it was not found in bounded work. */
  readonly headIndex: number | null
  /** How many unfinished live events of the lane have a higher index than this one. */
  readonly waitingBehind: number
  /** True when counting stopped at its bound: there are at least that many. */
  readonly isWaitingBehindLowerBound: boolean
}

/** One event with all that is known of it. */
export interface EventDetail extends EventRow {
  readonly sessionId: string
  readonly clearIndex: number
  readonly head: number
  readonly payload: TextPart
  /** The whole error text, cut at 256 KiB; null when there is none. */
  readonly lastError: string | null
  /** Ids that the completing attempt returned; null when not recorded or the column does not exist. */
  readonly returnedEventIds: readonly string[] | null
  readonly laneStanding: LaneStanding | null
  /** The chain of causes, nearest first, at most 20; ends early where an event is gone. */
  readonly causes: readonly CauseLink[]
  /** Events this one caused, by index, at most 100, found up to `effectsThroughIndex`. */
  readonly effects: readonly (EventRef & { readonly attempt: number })[]
  readonly effectsThroughIndex: number
  readonly unknownColumns: readonly RawColumn[]
  /** The database's clock when this was read, epoch milliseconds. */
  readonly readAt: number
}

/** A step up the causes: the attempt, and the event unless it is gone. */
export interface CauseLink {
  readonly index: number
  readonly attempt: number
  readonly event: EventRef | null
}

/** A piece of a long text, cut between characters. */
export interface TextPart {
  readonly text: string
  readonly offsetBytes: number
  /** Where the next part begins; null when this part reaches the end. */
  readonly nextOffsetBytes: number | null
  readonly totalBytes: number
  /** True when the stored bytes are not valid UTF-8: U+FFFD stands where they could not be read. */
  readonly hasInvalidUtf8: boolean
  /** `text`, `blob`, `null`, … : how the value is stored. */
  readonly storage: string
}
