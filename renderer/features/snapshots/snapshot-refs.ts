import type { ReducerSnapshots, SnapshotRef } from '../../../src/model/snapshot.ts'

/** Everything stored of a reducer, ascending; the head last. */
export function allOf({ head, history }: ReducerSnapshots): SnapshotRef[] {
  const kept = history.toReversed()
  return head === null ? kept : [...kept, head]
}
