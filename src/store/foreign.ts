import type {
  ClearAnswer,
  ClearRequest,
  ReclaimAnswer,
  RedriveAnswer,
  RedriveRequest,
} from './store.ts'

/** `needs-clears-table`: there is something to clear, but no a2_clears to note it in. Nothing was changed. */
export type ClearOutcome = ClearAnswer | 'needs-clears-table'

export interface ForeignClearRequest extends ClearRequest {
  /** Create a2_clears in the same transaction when it is missing and a marker is due. */
  readonly createClearsTable?: boolean
  /** Clear only while no marker stands beyond this one; 0: only while there is none. */
  readonly ifClearIndex?: number | undefined
}

/** `cleared-again`: a marker stands beyond `ifClearIndex`, so that another lifetime would be cleared than was asked for. Nothing was changed. */
export type ForeignClearOutcome = ClearOutcome | 'cleared-again'

/**
 * What may be done to a database another program owns. Changes rows only, and only columns that every
 * known version has. Each call is one transaction. Throws StoreTrouble, and A2Error or TypeError as the
 * store does. Nothing was changed when it throws, unless the trouble says that this is not known.
 */
export interface ForeignDatabase {
  clear(request: ForeignClearRequest): ForeignClearOutcome | Promise<ForeignClearOutcome>
  redrive(request: RedriveRequest): RedriveAnswer | Promise<RedriveAnswer>
  /** With `ifClearIndex`: `cleared-again` when the session was cleared beyond it, so that more would be deleted than was asked for. */
  reclaim(
    sessionId: string,
    ifClearIndex?: number,
  ): ReclaimAnswer | 'cleared-again' | Promise<ReclaimAnswer | 'cleared-again'>
  /** Creates a2_clears when it is missing, and nothing else. */
  createClearsTable(): void | Promise<void>
}
