import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'

import type {
  ActionOutcome,
  ClearPreview,
  ReclaimPreview,
  ReclaimProgress,
  RedrivePreview,
} from '../model/action.ts'
import type { AuditPage } from '../model/audit.ts'
import type { ConnectionReport } from '../model/connection-report.ts'
import type { DatabaseFacts } from '../model/database.ts'
import type { DeadLetter, DeadLetterView } from '../model/dead-letter.ts'
import type { EventDetail, EventRow, TextPart } from '../model/event.ts'
import type { Footprint } from '../model/footprint.ts'
import type { LiveMessage } from '../model/live.ts'
import type { PresenceList } from '../model/presence.ts'
import type { SessionCounts, SessionDetail, SessionSummary, SessionView } from '../model/session.ts'
import { SESSION_CHIPS, SESSION_SORTS } from '../model/session.ts'
import type { SessionSnapshots } from '../model/snapshot.ts'
import { databaseErrors } from './errors.ts'

/** `until`: epoch ms when a server's writing locks itself again; null: locked, or a file, which stays unlocked. */
export interface WritingState {
  readonly isUnlocked: boolean
  readonly until: number | null
}

/**
 * Any text, the empty one and control characters included: identity is the bound value. A lone surrogate is
 * none: no database holds it, and bound it would become the name of something else.
 */
const name = z.string().refine((text) => text.isWellFormed(), 'not well-formed Unicode')
const sessionId = name
/** An event's index; events begin at 1. */
const index = z.int().min(1)
const offset = z.int().min(0)
const rowLimit = z.int().min(1).max(200)
/** The session's id, typed by the person: on production nothing is cleared or reclaimed without it. */
const confirmation = z.string().optional()
const clearWanted = z.object({ sessionId, createClearsTable: z.boolean(), confirmation })
const databaseProcedure = oc.errors(databaseErrors)

/**
 * Everything a screen can ask of one open database. Reads leave no trace in it. Inputs are checked here,
 * outputs are the plain types of `src/model`.
 */
export const databaseContract = {
  /** Path, sizes, schema version, what is unknown or missing. */
  facts: databaseProcedure.output(type<DatabaseFacts>()),

  /**
   * What this program takes of the database. Reads nothing of a file; of a server, one look at its catalogue
   * every ten seconds that somebody asks, whose answer comes with a later call.
   */
  footprint: databaseProcedure.output(type<Footprint>()),

  sessions: {
    /** Freezes an order; `rows`: and reads these of it. `text` matches anywhere in the id, case-insensitively. Views are kept for a while; NOT_FOUND means: ask anew. */
    view: databaseProcedure
      .input(
        z.object({
          sort: z.enum(SESSION_SORTS),
          direction: z.enum(['asc', 'desc']),
          text: z.string().max(4096),
          chips: z.array(z.enum(SESSION_CHIPS)).max(SESSION_CHIPS.length),
          rows: z.object({ offset, limit: rowLimit }).optional(),
        }),
      )
      .output(type<SessionView>()),
    /** The counts of a view as they are now; nothing is read for them, nothing frozen. */
    counts: databaseProcedure
      .input(z.object({ text: z.string().max(4096) }))
      .output(type<SessionCounts>()),
    /** Rows of a view by position, current values. Ids that vanished meanwhile are null in their place. */
    rows: databaseProcedure
      .input(z.object({ viewId: z.string(), offset, limit: rowLimit }))
      .output(type<readonly (SessionSummary | null)[]>()),
    /** One session with counts, lifetimes and reducers. */
    get: databaseProcedure.input(z.object({ sessionId })).output(type<SessionDetail>()),
    /** Ids containing `text`, best first: exact, prefix, anywhere. */
    find: databaseProcedure
      .input(z.object({ text: z.string().max(4096), limit: z.int().min(1).max(100) }))
      .output(type<readonly string[]>()),
  },

  events: {
    /** Stored events with from ≤ index ≤ to, ascending, at most 500 indexes wide; holes are simply absent. Above and below the marker. */
    range: databaseProcedure
      .input(z.object({ sessionId, from: index, to: index }))
      .output(type<readonly EventRow[]>()),
    /** One event; its payload up to the first 256 KiB. */
    get: databaseProcedure.input(z.object({ sessionId, index })).output(type<EventDetail>()),
    /** The next part of a payload, up to 1 MiB. */
    payload: databaseProcedure
      .input(z.object({ sessionId, index, offsetBytes: offset }))
      .output(type<TextPart>()),
    /** Where an event id lives; null when nowhere. */
    locate: databaseProcedure
      .input(z.object({ eventId: name }))
      .output(type<{ readonly sessionId: string; readonly index: number } | null>()),
  },

  snapshots: {
    list: databaseProcedure.input(z.object({ sessionId })).output(type<SessionSnapshots>()),
    /** A part of one stored state, up to 1 MiB. */
    state: databaseProcedure
      .input(
        z.object({
          sessionId,
          reducer: name,
          upToIndex: z.int().min(0),
          source: z.enum(['head', 'history']),
          offsetBytes: offset,
        }),
      )
      .output(type<TextPart>()),
  },

  deadLetters: {
    /** Freezes the list of dead letters across all sessions, newest failure first. `text` filters session, type, lane and error. */
    view: databaseProcedure
      .input(z.object({ text: z.string().max(4096) }))
      .output(type<DeadLetterView>()),
    rows: databaseProcedure
      .input(z.object({ viewId: z.string(), offset, limit: rowLimit }))
      .output(type<readonly DeadLetter[]>()),
  },

  presence: databaseProcedure.output(type<PresenceList>()),

  writing: {
    /** Again: begins the time anew. DATABASE_TROUBLE where the server does not let this role write: no-right, standby, … */
    unlock: databaseProcedure.output(type<WritingState>()),
    lock: databaseProcedure.output(type<WritingState>()),
  },

  /** The way to a server. For a file `state` and `reconnect` answer null, `cancel` 0. */
  connection: {
    state: databaseProcedure.output(type<ConnectionReport | null>()),
    /** Now instead of after the pause; after a lasting trouble, again. DATABASE_TROUBLE: it failed; password-missing and auth-failed: `connections.open` with a secret. */
    reconnect: databaseProcedure.output(type<ConnectionReport | null>()),
    /** Stops the reads under way, on the server too; each ends with the trouble `cancelled`. Writes are let be. */
    cancel: databaseProcedure.output(type<{ readonly cancelled: number }>()),
  },

  actions: {
    previewClear: databaseProcedure.input(z.object({ sessionId })).output(type<ClearPreview>()),
    /**
     * Appends a clear marker if the head is still `ifLastIndex`. With `ifClearIndex` instead, wherever the session
     * ends by then, if it was not cleared again meanwhile; `lastSeen` is the head the person saw, for the record.
     * That is refused on production.
     */
    clear: databaseProcedure
      .input(
        z.union([
          clearWanted.extend({ ifLastIndex: offset }).strict(),
          clearWanted.extend({ ifClearIndex: offset, lastSeen: offset }).strict(),
        ]),
      )
      .output(type<ActionOutcome>()),
    previewReclaim: databaseProcedure.input(z.object({ sessionId })).output(type<ReclaimPreview>()),
    /** Deletes cleared events in batches of 256; ending the iteration stops it after the current batch. The last message is not `running`. */
    reclaim: databaseProcedure
      .input(z.object({ sessionId, clearIndex: z.int().min(0), confirmation }))
      .output(eventIterator(type<ReclaimProgress>())),
    /** Ends the running reclaims of a session after their current batch; their last message says how far they got. */
    stopReclaim: databaseProcedure.input(z.object({ sessionId })).output(type<null>()),
    previewRedrive: databaseProcedure
      .input(z.object({ sessionId, index, action: z.enum(['retry', 'skip']) }))
      .output(type<RedrivePreview>()),
    redrive: databaseProcedure
      .input(z.object({ sessionId, index, action: z.enum(['retry', 'skip']) }))
      .output(type<ActionOutcome>()),
  },

  audit: databaseProcedure
    .input(
      z.object({
        /** Only this database, or all of them. */
        scope: z.enum(['database', 'all']),
        beforeOffset: offset.nullable(),
        limit: z.int().min(1).max(500),
      }),
    )
    .output(type<AuditPage>()),

  /** Changes as they happen. `isVisible: false` asks for a slower pace. Ends when the caller stops listening. */
  live: databaseProcedure
    .input(z.object({ isVisible: z.boolean() }))
    .output(eventIterator(type<LiveMessage>())),
}
