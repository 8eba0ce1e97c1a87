import type { EventCause } from '../model/event.ts'

/** Where the store takes its times from; the tables hold epoch milliseconds. */
export interface Clock {
  now(): Date
}

export interface StoreOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** Called once for every event without an id, in order. Default: a new ULID. */
  readonly generateId?: () => string
}

/** An event to be appended. */
export interface NewEvent {
  readonly type: string
  /** Any JSON value; absent means null. */
  readonly payload?: unknown
  /** Unique over all sessions. The same append with the same ids is answered from what is stored. */
  readonly id?: string | undefined
  /** The live events of one lane run one at a time, lowest index first. */
  readonly lane?: string | null | undefined
  /** The handler run this event comes from: it must still be its event's latest attempt. */
  readonly cause?: EventCause | null | undefined
  /** True: stored as already processed, never claimed. */
  readonly settled?: boolean | undefined
}

/** An event a handler returns; its id is the caller's, so that completing can be repeated. */
export interface ReturnedEvent extends Omit<NewEvent, 'id' | 'cause'> {
  readonly id: string
}

/** What a plain reader sees of an event. */
export interface SessionEvent {
  readonly sessionId: string
  /** Counted from 1 within the session. */
  readonly index: number
  readonly id: string
  readonly type: string
  /** Parsed JSON. */
  readonly payload: unknown
  readonly createdAt: Date
}

export interface StoredEvent extends SessionEvent {
  readonly cause: EventCause | null
  readonly lane: string | null
  readonly processedAt: Date | null
  /** How often it was claimed. */
  readonly attemptCount: number
  readonly failureCount: number
  /** Set on a dead letter, and on one that was skipped. */
  readonly failedAt: Date | null
  readonly lastError: string | null
  readonly claimHolder: string | null
  readonly claimExpiresAt: Date | null
  /** On claimed events only: the session's clear index, absent when it was never cleared. */
  readonly clearIndex?: number
}

/** How long something holds: for a while from now, or until a moment (epoch ms). */
export type Lease = { readonly ttlMs: number } | { readonly expiresAtMs: number }

export interface AppendAnswer {
  /** As stored, in the order asked. */
  readonly events: readonly StoredEvent[]
  /** Whether the session has an unfinished live event, dead letters included. */
  readonly hasPending: boolean
}

export type ClaimRequest = Lease & {
  readonly sessionId: string
  readonly holder: string
  readonly excludeIndexes?: readonly number[]
}

export type ClaimAnswer =
  /** Ascending by index, as after the claim. */
  | { readonly outcome: 'claimed'; readonly events: readonly StoredEvent[] }
  /** Nothing to claim before the earliest running claim ends. */
  | { readonly outcome: 'waiting'; readonly retryAt: Date }
  | { readonly outcome: 'empty' }

export interface Claim {
  readonly index: number
  readonly attempt: number
}

export type RenewRequest = Lease & {
  readonly sessionId: string
  readonly holder: string
  readonly claims: readonly Claim[]
}

/** A claim in neither list is not held any more, but nobody else has taken it. */
export interface RenewAnswer {
  readonly renewed: readonly number[]
  readonly superseded: readonly number[]
}

export interface CompleteRequest {
  readonly sessionId: string
  readonly index: number
  readonly attempt: number
  readonly events: readonly ReturnedEvent[]
}

export type CompleteAnswer =
  /** The returned events as stored, in the order asked. */
  { readonly outcome: 'completed'; readonly events: readonly StoredEvent[] } | Superseded

export interface Superseded {
  readonly outcome: 'superseded'
}

export interface FailRequest {
  readonly sessionId: string
  readonly index: number
  readonly attempt: number
  readonly error: string
  /** At this many failures the event becomes a dead letter. */
  readonly maxFailures: number
}

export interface FailAnswer {
  readonly outcome: 'retry' | 'dead' | 'superseded'
  readonly failureCount: number
}

export interface RedriveRequest {
  readonly sessionId: string
  readonly index: number
  readonly action: 'retry' | 'skip'
}

export interface RedriveAnswer {
  /** False: it is not a live dead letter (any more); nothing was changed. */
  readonly redriven: boolean
  readonly hasPending: boolean
}

export interface StateBounds {
  /** Highest event to read. Default: all. */
  readonly throughIndex?: number | undefined
  /** Highest snapshot to start from. Default: `throughIndex`. */
  readonly snapshotThroughIndex?: number | undefined
}

export interface StateAnswer {
  /** Absent when the session was never cleared. */
  readonly clearIndex?: number
  /** Index of the head snapshot; null without one in this lifetime. */
  readonly headIndex: number | null
  readonly snapshot: { readonly index: number; readonly state: unknown } | null
  /** The events after the snapshot; without one they begin at the clear marker. */
  readonly events: readonly SessionEvent[]
}

export interface SnapshotWrite {
  readonly index: number
  /** Any JSON value. */
  readonly state: unknown
  /** Unfinished events that still need this snapshot; others are ignored. */
  readonly pinEventIndexes?: readonly number[] | undefined
}

export interface ClearRequest {
  readonly sessionId: string
  /** Clear only if this is still the head. */
  readonly ifLastIndex?: number | undefined
  /** The handler run that asks: it must still be its event's latest attempt. */
  readonly cause?: EventCause | undefined
}

export interface ClearAnswer {
  /** False: the head is not `ifLastIndex` any more; nothing was changed. */
  readonly cleared: boolean
  /** The session's head now. */
  readonly index: number
  readonly clearIndex: number
}

export interface ReclaimAnswer {
  /** Events deleted by this call, at most 256. */
  readonly deleted: number
  /** False: call again. */
  readonly done: boolean
}

export interface PresenceKey {
  /** The namespace, for example a session id. */
  readonly ns: string
  readonly participant: string
}

export interface Presence extends PresenceKey {
  readonly data: unknown
  readonly joinedAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
}

export type PresenceWrite = PresenceKey & Lease & { readonly data: unknown }

export interface StreamOptions {
  /** Default 0. Below the clear marker it continues at the marker. */
  readonly afterIndex?: number | undefined
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal | undefined
  /** How often to look for news while they come. Default 20. */
  readonly intervalMs?: number | undefined
}

/**
 * The session-event store. Every method that writes is one transaction: it happens as a whole or, when
 * it throws, not at all. Throws `A2Error`, and `TypeError` for an attempt of an event that never was.
 */
export interface Store {
  /** Appends at the head. An empty list writes nothing and only answers `hasPending`. */
  append(
    sessionId: string,
    events: readonly NewEvent[],
    options?: { readonly originIndex?: number | undefined },
  ): Promise<AppendAnswer>
  /** Events with afterIndex < index ≤ throughIndex from the clear marker on, ascending. */
  read(
    sessionId: string,
    range?: {
      readonly afterIndex?: number | undefined
      readonly throughIndex?: number | undefined
    },
  ): Promise<StoredEvent[]>
  /** Claims every event whose turn has come, whoever's claim ran out on it. */
  claimPending(request: ClaimRequest): Promise<ClaimAnswer>
  renew(request: RenewRequest): Promise<RenewAnswer>
  /** Marks the event processed and appends what its handler returned. Repeating it gives the same answer. */
  completeAttempt(request: CompleteRequest): Promise<CompleteAnswer>
  failAttempt(request: FailRequest): Promise<FailAnswer>
  /** Live dead letters, ascending. */
  deadLetters(sessionId: string): Promise<StoredEvent[]>
  redrive(request: RedriveRequest): Promise<RedriveAnswer>
  readState(sessionId: string, reducer: string, bounds?: StateBounds): Promise<StateAnswer>
  /** `readState` of many sessions at one moment, in the order asked. */
  readStates(
    reducer: string,
    reads: readonly (StateBounds & { readonly sessionId: string })[],
  ): Promise<StateAnswer[]>
  /** Writes below the clear marker are ignored. */
  putSnapshots(sessionId: string, reducer: string, writes: readonly SnapshotWrite[]): Promise<void>
  /** Events as they come, ascending; ends when `signal` aborts or the store is closed. */
  stream(sessionId: string, options?: StreamOptions): AsyncIterable<SessionEvent>
  /** Joins or stays; a participant whose time ran out joins anew. */
  setPresence(presence: PresenceWrite): Promise<void>
  /** Those whose time has not run out, by participant (code point order). */
  listPresence(ns: string): Promise<Presence[]>
  removePresence(key: PresenceKey): Promise<void>
  /** Appends a clear marker: all before it is out of sight at once, and stored until `reclaim`. */
  clear(request: ClearRequest): Promise<ClearAnswer>
  /** Deletes what lies below the clear marker, a batch a call. */
  reclaim(sessionId: string): Promise<ReclaimAnswer>
  /** Ends streams and releases everything. */
  close(): Promise<void>
}
