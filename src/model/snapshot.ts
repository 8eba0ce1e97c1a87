/** One stored state of a reducer. */
export interface SnapshotRef {
  readonly upToIndex: number
  readonly source: 'head' | 'history'
  readonly bytes: number
  /** True: too large to be measured for a list; `bytes` is what it takes in the table, compressed. */
  readonly areBytesEstimated?: boolean
  /** Epoch ms; null when the column does not exist. */
  readonly updatedAt: number | null
  /** Below the clear marker: still stored, no longer counted. */
  readonly isBelowMarker: boolean
  /** Unfinished events that still need it, ascending. */
  readonly pinnedBy: readonly number[]
}

/** A reducer of one session with everything stored of it. */
export interface ReducerSnapshots {
  readonly name: string
  /** null when only history is left. */
  readonly head: SnapshotRef | null
  /** session head − the head snapshot's index; null without a head. */
  readonly behind: number | null
  /** Descending by index. */
  readonly history: readonly SnapshotRef[]
}

export interface SessionSnapshots {
  readonly sessionHead: number
  readonly clearIndex: number
  /** By name. */
  readonly reducers: readonly ReducerSnapshots[]
  /** False when the database has no snapshot tables. */
  readonly isSupported: boolean
}
