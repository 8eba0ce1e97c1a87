import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { ReducerSnapshots, SnapshotRef } from '../../../src/model/snapshot.ts'
import { useDatabase } from '../../api/database-context.ts'
import { EmptyState, ErrorState, LoadingState } from '../../ui/states.tsx'
import { ReducerList } from './reducer-list.tsx'
import { allOf } from './snapshot-refs.ts'
import { SnapshotAxis } from './snapshot-axis.tsx'
import { SnapshotState } from './snapshot-state.tsx'
import './snapshots.css'

interface SnapshotsTabProps {
  readonly sessionId: string
  readonly onOpenEvent: (index: number) => void
}

/** What the reducers of a session stored: their heads, what was kept, and each state. */
export function SnapshotsTab({ sessionId, onOpenEvent }: SnapshotsTabProps) {
  const { queries } = useDatabase()
  const query = useQuery(queries.snapshots.list.queryOptions({ input: { sessionId } }))
  const [reducerName, setReducerName] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Pick<SnapshotRef, 'upToIndex' | 'source'> | null>(null)
  if (query.isPending) return <LoadingState label="Reading snapshots…" />
  if (query.data === undefined) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  }
  const { reducers, isSupported, sessionHead, clearIndex } = query.data
  const reducer = reducers.find(({ name }) => name === reducerName) ?? reducers[0]
  if (reducer === undefined) return <NoSnapshots isSupported={isSupported} />
  const snapshot = findSnapshot(reducer, chosen)
  return (
    <div className="snapshots">
      <ReducerList
        onChoose={(name) => {
          setReducerName(name)
          setChosen(null)
        }}
        reducers={reducers}
        selected={reducer.name}
      />
      <div className="snapshots-main">
        <SnapshotAxis
          clearIndex={clearIndex}
          onChoose={setChosen}
          onOpenEvent={onOpenEvent}
          reducer={reducer}
          selected={snapshot}
          sessionHead={sessionHead}
        />
        {snapshot !== undefined && (
          <SnapshotState
            listedAt={query.dataUpdatedAt}
            key={`${snapshot.source}:${snapshot.upToIndex}:${reducer.name}`}
            onOpenEvent={onOpenEvent}
            reducer={reducer.name}
            sessionId={sessionId}
            snapshot={snapshot}
          />
        )}
      </div>
    </div>
  )
}

function NoSnapshots({ isSupported }: { readonly isSupported: boolean }) {
  return isSupported ? (
    <EmptyState title="No snapshots">No reducer has stored a state for this session.</EmptyState>
  ) : (
    <EmptyState title="No snapshot tables">This database has no table for snapshots.</EmptyState>
  )
}

/** The chosen snapshot; when the head moved on meanwhile, the head as it is now. */
function findSnapshot(
  reducer: ReducerSnapshots,
  chosen: Pick<SnapshotRef, 'upToIndex' | 'source'> | null,
): SnapshotRef | undefined {
  const all = allOf(reducer)
  const found = all.find(
    (ref) => ref.source === chosen?.source && ref.upToIndex === chosen.upToIndex,
  )
  return found ?? all.at(-1)
}
