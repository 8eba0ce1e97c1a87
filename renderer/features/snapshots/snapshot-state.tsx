import { useQuery } from '@tanstack/react-query'
import { Fragment, useCallback, useEffect, useRef } from 'react'

import type { SnapshotRef } from '../../../src/model/snapshot.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { EmptyState, ErrorState, LoadingState } from '../../ui/states.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { IndexLink } from '../event-details/index-link.tsx'
import { JsonView } from '../json-view/json-view.tsx'

interface SnapshotStateProps {
  readonly sessionId: string
  readonly reducer: string
  readonly snapshot: SnapshotRef
  /** When the list that names it was read, epoch ms. */
  readonly listedAt: number
  readonly onOpenEvent: (index: number) => void
}

const NAMED_PINS = 8

/** One stored state and where it stands. */
export function SnapshotState(props: SnapshotStateProps) {
  const { sessionId, reducer, snapshot, listedAt, onOpenEvent } = props
  const { client, queries } = useDatabase()
  const { upToIndex, source, isBelowMarker, pinnedBy, updatedAt } = snapshot
  const place = { sessionId, reducer, upToIndex, source }
  const query = useQuery(
    queries.snapshots.state.queryOptions({
      input: { ...place, offsetBytes: 0 },
      meta: READ_ONCE,
      refetchOnMount: 'always',
    }),
  )
  useReadAfter(listedAt, query.refetch)
  const load = useCallback(
    (offsetBytes: number) =>
      client.snapshots.state({ sessionId, reducer, upToIndex, source, offsetBytes }),
    [client, sessionId, reducer, upToIndex, source],
  )
  return (
    <section
      aria-label={`State at ${upToIndex}`}
      className="snapshot-state"
      data-below={isBelowMarker}
    >
      <div className="snapshot-facts">
        <h3 className="num">{`@${upToIndex}`}</h3>
        <span>{source === 'head' ? 'head' : 'kept in history'}</span>
        <TimeAgo at={updatedAt} suffix=" ago" />
        {pinnedBy.length > 0 && (
          <span>
            {'pinned by '}
            {pinnedBy.slice(0, NAMED_PINS).map((index, nth) => (
              <Fragment key={index}>
                {nth > 0 && ', '}
                <IndexLink index={index} onOpen={onOpenEvent} />
              </Fragment>
            ))}
            {pinnedBy.length > NAMED_PINS && ` and ${pinnedBy.length - NAMED_PINS} more`}
          </span>
        )}
        {isBelowMarker && <span>no longer counts: it stands before the clear marker</span>}
      </div>
      {query.isPending && <LoadingState label="Reading the state…" />}
      {isNotFound(query.error) ? (
        <EmptyState title="This snapshot is not stored any more" />
      ) : (
        <>
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.data !== undefined && (
            <JsonView first={query.data} load={load} size="fill" title="State" />
          )}
        </>
      )}
    </section>
  )
}

/** After a change the list is read first: a state that it does not name any more is not asked for. */
function useReadAfter(listedAt: number, refetch: () => Promise<unknown>): void {
  const readFor = useRef(listedAt)
  useEffect(() => {
    if (readFor.current === listedAt) return
    readFor.current = listedAt
    void refetch()
  }, [listedAt, refetch])
}
