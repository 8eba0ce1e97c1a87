import type { Lifetime } from './lifetime.ts'

/** A session's unfinished live events by state. Judged with the clear index and the database's clock. */
export interface WorkCounts {
  readonly ready: number
  readonly blocked: number
  readonly running: number
  readonly expired: number
  readonly retrying: number
  readonly dead: number
}

export const NO_WORK: WorkCounts = {
  ready: 0,
  blocked: 0,
  running: 0,
  expired: 0,
  retrying: 0,
  dead: 0,
}

/** Unfinished live events that are not dead letters. */
export function pendingOf(work: WorkCounts): number {
  return work.ready + work.blocked + work.running + work.expired + work.retrying
}

/** A number that may have been counted only up to a bound. */
export interface BoundedCount {
  readonly count: number
  /** True when counting stopped at its bound: there are at least `count`. */
  readonly isLowerBound: boolean
}

/** One session as the list shows it. */
export interface SessionSummary {
  readonly id: string
  /** Highest index. */
  readonly head: number
  /** Lowest stored index. */
  readonly firstIndex: number
  /** 0 when never cleared. */
  readonly clearIndex: number
  /** head − clearIndex. */
  readonly live: number
  /** null: not counted yet. */
  readonly work: WorkCounts | null
  /** Unfinished live events, where that is known before `work` is. `dead` of them; null: not known yet. */
  readonly early?: { readonly unfinished: number; readonly dead: number | null }
  /** Cleared events still stored. */
  readonly toReclaim: BoundedCount
  /** A lower bound wherever events are gone: a reclaimed range may have held older markers. */
  readonly lifetimes: BoundedCount
  /** created_at of the lowest stored event, epoch ms. */
  readonly firstActivityAt: number | null
  /** created_at of the head, epoch ms. */
  readonly lastActivityAt: number | null
}

/** A session opened: its summary, counted at once, its lifetimes and its reducers' heads. */
export interface SessionDetail {
  readonly summary: SessionSummary
  /** Newest first; the first one is the current one. */
  readonly lifetimes: readonly Lifetime[]
  readonly reducers: readonly { readonly name: string; readonly upToIndex: number }[]
  /** The database's clock when this was read, epoch milliseconds. */
  readonly readAt: number
}

export const SESSION_SORTS = ['activity', 'id', 'dead', 'pending', 'live'] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

/** Chips of the session list: sessions with at least one such event; `cleared`: with something to reclaim or a marker. */
export const SESSION_CHIPS = [
  'dead',
  'pending',
  'running',
  'expired',
  'blocked',
  'retrying',
  'cleared',
] as const
export type SessionChip = (typeof SESSION_CHIPS)[number]

/** How many sessions there are, as far as they are known. */
export interface SessionCounts {
  /** Sessions known in the database, unfiltered. */
  readonly known: number
  /** Whether all sessions have been listed. */
  readonly isListComplete: boolean
  /** Whether unfinished work has been counted everywhere. */
  readonly isWorkComplete: boolean
  /** When the counts were last brought up to date, epoch ms; null: never. */
  readonly countedAt: number | null
  /** Number of sessions per chip, text filter applied, chips not. */
  readonly chips: Readonly<Record<SessionChip, number>>
}

/** A frozen order of sessions: rows are read by position and show current values, the order stays. The counts are those of then. */
export interface SessionView extends SessionCounts {
  readonly viewId: string
  /** Sessions in this view. */
  readonly total: number
  /** By the positions that were asked for together with it; absent: none were. */
  readonly rows?: readonly (SessionSummary | null)[]
}
