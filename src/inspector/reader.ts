import type { ClearPreview, ReclaimPreview, RedrivePreview } from '../model/action.ts'
import type { DatabaseFacts } from '../model/database.ts'
import type { EventDetail, EventRow, TextPart } from '../model/event.ts'
import type { PostgresFootprint, SqliteFootprint } from '../model/footprint.ts'
import type { NewEvent } from '../model/live.ts'
import type { PresenceList } from '../model/presence.ts'
import type { SessionSummary } from '../model/session.ts'
import type { SessionSnapshots } from '../model/snapshot.ts'
import type { Epoch } from './epoch.ts'
import type { EventKey } from './queries/event.ts'
import type { KnownWork } from './queries/lane.ts'
import type { GoneStep, MarkerRequest, StoredMarker } from './queries/past.ts'
import type { FollowStep, RowPosition } from './queries/position.ts'
import type { ListedSession, SessionCursor, SessionPage } from './queries/sessions.ts'
import type { KeyedStep, UnfinishedRow, WorkKey } from './queries/work.ts'
import type { CountBySession, CountedStep } from './queries/unfinished-counts.ts'
import type { SearchReader } from './search-reader.ts'
import type { CountedBy, IndexCounts } from './sqlite-indexes.ts'

/** What a database can be asked for; the screens adapt. */
export interface Capabilities {
  /** Rows have numbers in commit order: new ones can be followed, the newest read first. */
  readonly hasRowids: boolean
  /** Rows lie in numbered blocks that can be read one after the other, the newest mostly in the last ones. */
  readonly hasBlocks: boolean
  /** Unfinished rows are found through an index. */
  readonly hasWorkIndex: boolean
  /** Event ids are found through an index. */
  readonly hasEventIdIndex: boolean
  /** The table a2_clears exists. */
  readonly hasClears: boolean
  readonly markerType: string
}

/** How much of a database's time the background may take. */
export interface Effort {
  /** How long one slice of work aims to take, the way to the database and back included. */
  sliceMs(): number
  /** After a run, it rests for so many times as long as the run took. */
  readonly restFactor: number
}

/** What indexes tell of unfinished events without a look at the rows. */
export interface IndexCountsReader {
  kind(): Promise<IndexCounts>
  /** Live events of that kind among the next `limit` entries, in key order. */
  step(by: CountedBy, after: WorkKey | null, limit: number): Promise<CountedStep>
  /** Live dead letters; null when there are `limit` or more. */
  dead(limit: number): Promise<CountBySession | null>
}

/** Events as they are appended, each once, those of a session in order. */
export interface Follower {
  /** From here on. */
  start(): Promise<void>
  /** What came since the last call; more may follow. */
  next(): Promise<{ readonly events: readonly NewEvent[]; readonly isMore: boolean }>
  /** Nothing more is asked for. */
  end(): void
}

export type SummaryWithoutWork = Omit<SessionSummary, 'work'>

export interface SessionHead {
  readonly head: number
  readonly clearIndex: number
  readonly markerType: string
  readonly summary: SummaryWithoutWork
  readonly reducers: readonly { readonly name: string; readonly upToIndex: number }[]
  readonly readAt: number
}

/**
 * What the screens need from the tables, rows below the marker included. Each question is answered from
 * one commit and leaves nothing open. All of them throw StoreTrouble.
 */
export interface Reader {
  readonly path: string
  readonly epoch: Epoch
  /** Tells the reader that the same file went back in time. */
  noteRestored(): void
  /** Changes whenever something was written; null when there is no file. Costs a look at the file system, or nothing. */
  stamp(): string | null
  /** Changes when another file stands there; null when there is none. */
  identity(): string | null
  /** Has `stamp` say how things are now, where that takes a question. Never rejects. */
  refresh(): Promise<void>
  readonly effort: Effort
  /** What this process holds and took so far. Asks nothing of the database that a screen would wait for, and opens nothing. */
  footprint(): Omit<SqliteFootprint, 'refreshMs'> | Omit<PostgresFootprint, 'refreshMs'>
  /** Set where the reader itself knows how to follow. */
  readonly openFollower?: () => Follower
  /** Absent where indexes tell nothing by themselves. */
  readonly indexCounts?: IndexCountsReader
  /** Whether a write of this program may still take hold, after its connection was lost. Absent where none can. */
  readonly isWriteUnderWay?: () => Promise<boolean>
  /** The database's clock, epoch ms. */
  now(): number
  /** Lets go of the file unless it is in use. */
  release(): void
  close(): void

  readonly search: SearchReader

  capabilities(): Promise<Capabilities>
  facts(): Promise<DatabaseFacts>
  presence(): Promise<PresenceList>

  /** The next `limit` sessions in the database's order. O(log n) a session. */
  sessionPage(after: SessionCursor | null, limit: number): Promise<SessionPage>
  /** Sessions of the newest rows, most recent first; empty when rows have neither numbers nor blocks. */
  recentSessions(bounds: { maxRows: number; maxSessions: number }): Promise<string[]>
  /** Ids without events are left out. */
  listed(ids: readonly string[]): Promise<ListedSession[]>
  /** The id right before each in the database's order; null for the first of all. */
  predecessors(ids: readonly string[]): Promise<(string | null)[]>
  summaries(ids: readonly string[]): Promise<(SummaryWithoutWork | null)[]>
  idsByPrefix(text: string, limit: number): Promise<string[]>
  /** undefined for a session without events. */
  findSession(sessionId: string): Promise<SessionHead | undefined>
  /** One short look for indexes that are not stored. */
  gone(wanted: { sessionId: string; from: number; through: number }): Promise<GoneStep>
  /** One short look for markers, downwards. */
  markers(wanted: MarkerRequest): Promise<{ markers: StoredMarker[]; scannedFrom: number }>

  range(
    wanted: { sessionId: string; from: number; to: number },
    work: KnownWork | null,
  ): Promise<EventRow[]>
  /** Just the names of events with from ≤ index ≤ to. */
  refs(wanted: { sessionId: string; from: number; to: number }): Promise<NewEvent[]>
  findEvent(key: EventKey, work: KnownWork | null): Promise<EventDetail | undefined>
  /** null for a row that is gone. */
  eventRows(keys: readonly EventKey[], work: KnownWork | null): Promise<(EventRow | null)[]>
  findPayload(key: EventKey & { offsetBytes: number }): Promise<TextPart | undefined>
  /** Where an event id lives. Looks through the table in slices when no index helps; ends between two of them, rejecting, when it is aborted. */
  locate(eventId: string, signal?: AbortSignal): Promise<EventKey | null>

  snapshots(sessionId: string): Promise<SessionSnapshots>
  findState(key: {
    sessionId: string
    reducer: string
    upToIndex: number
    source: 'head' | 'history'
    offsetBytes: number
  }): Promise<TextPart | undefined>

  /** Unfinished rows with above < rowid ≤ through, newest first; or those in the blocks above ≤ block < through, in any order. */
  unfinishedRange(range: { above: number; through: number }): Promise<UnfinishedRow[]>
  /** Each row as it is now, the very same object when nothing changed; null when it is finished or gone. */
  unfinishedAgain(rows: readonly UnfinishedRow[]): Promise<(UnfinishedRow | null)[]>
  /** Unfinished rows in key order: `limit` of them with a work index, else those among `limit` rows. */
  unfinishedStep(after: WorkKey | null, limit: number): Promise<KeyedStep>
  sessionUnfinished(
    wanted: { sessionId: string; from: number },
    limit: number,
  ): Promise<{ rows: UnfinishedRow[]; next: number | null }>
  clearIndexes(ids: readonly string[]): Promise<Map<string, number>>

  /** The newest row; where rows lie in blocks, `rowid` is the number of blocks. */
  tip(): Promise<RowPosition>
  /** Where a remembered row is now; `lost` when the table went back in time. */
  findPosition(known: RowPosition): Promise<RowPosition | 'lost'>
  /** Events after a position in commit order. `lost`: see `findPosition`. */
  follow(known: RowPosition, limit: number): Promise<FollowStep | 'lost'>
  touchedSessions(
    afterRowid: number,
    limit: number,
  ): Promise<{ ids: string[]; throughRowid: number; isMore: boolean }>

  /** undefined for a session without events. */
  previewClear(sessionId: string): Promise<Omit<ClearPreview, 'work'> | undefined>
  previewReclaim(sessionId: string): Promise<ReclaimPreview | undefined>
  previewRedrive(
    key: EventKey & { action: RedrivePreview['action'] },
    work: KnownWork | null,
  ): Promise<RedrivePreview | undefined>
}
