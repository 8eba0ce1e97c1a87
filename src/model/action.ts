import type { BoundedCount, WorkCounts } from './session.ts'

export type ActionName = 'clear' | 'reclaim' | 'retry' | 'skip'
export type RedriveAction = 'retry' | 'skip'

/** Why an action was not carried out. Nothing was changed. */
export type Refusal =
  | 'moved-on'
  | 'finished-meanwhile'
  | 'no-longer-dead'
  | 'cleared-meanwhile'
  /** What nobody has seen is not dropped on production. */
  | 'not-on-production'
  | 'gone'
  | 'needs-clears-table'
  | 'busy'
  | 'no-audit'
  | 'read-only'
  | 'incompatible'
  /** The connection was lost before the change took hold: it was looked up. */
  | 'connection-lost'
  /** On production the session's id has to be typed. */
  | 'needs-confirmation'

/** The answer of an action. `detail` is one sentence for the person. */
export type ActionOutcome =
  | { readonly outcome: 'done'; readonly detail: string }
  | { readonly outcome: 'already-done'; readonly detail: string }
  | { readonly outcome: 'refused'; readonly reason: Refusal; readonly detail: string }

export interface ClearPreview {
  readonly sessionId: string
  /** What to send as `ifLastIndex`: the head the person saw. */
  readonly head: number
  readonly clearIndex: number
  /** Events that become invisible to the app: head − clearIndex. */
  readonly live: number
  /** Unfinished work that is dropped. */
  readonly work: WorkCounts
  /** Snapshots (head and history) that stop counting. */
  readonly snapshots: readonly {
    readonly reducer: string
    readonly upToIndex: number
    readonly isHead: boolean
  }[]
  /** True for a 0.16 file: the first clear has to create the table a2_clears. */
  readonly needsClearsTable: boolean
  /** True when there is nothing to clear. */
  readonly isEmpty: boolean
  readonly markerType: string
}

export interface ReclaimPreview {
  readonly sessionId: string
  readonly clearIndex: number
  readonly events: BoundedCount
  /** Stored bytes of their payloads, null when counting was bounded. */
  readonly payloadBytes: number | null
  readonly snapshots: number
  readonly pins: number
}

export interface ReclaimProgress {
  readonly deleted: number
  /** null when the preview's count was a lower bound. */
  readonly total: number | null
  readonly status: 'running' | 'done' | 'stopped' | 'failed'
  /** One sentence for the final message; null while running. */
  readonly detail: string | null
  /** Of a failure that was refused before anything was deleted. */
  readonly reason?: Refusal
}

export interface RedrivePreview {
  readonly sessionId: string
  readonly index: number
  readonly action: RedriveAction
  readonly type: string
  readonly lane: string | null
  readonly isStillDead: boolean
  /** For skip: the event of the lane that becomes ready; null when none does. */
  readonly becomesReady: { readonly index: number; readonly type: string } | null
  /** Unfinished live events of its lane with a higher index. */
  readonly waitingBehind: BoundedCount
  readonly lastErrorStart: string | null
}
