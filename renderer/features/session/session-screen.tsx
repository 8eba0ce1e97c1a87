import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'

import type { SessionDetail } from '../../../src/model/session.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { SplitView } from '../../ui/split-view.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { EventDetails } from '../event-details/event-details.tsx'
import { SnapshotsTab } from '../snapshots/snapshots-tab.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { SessionHeader } from './session-header.tsx'
import { SessionTabs } from './session-tabs.tsx'
import './session.css'

/** One session: what is known of it, its events, its snapshots, and at the side one event. */
export function SessionScreen({ sessionId }: { readonly sessionId: string }) {
  const { queries } = useDatabase()
  const { event } = useSessionsSearch()
  const openEvent = useOpenEvent()
  const query = useQuery(queries.sessions.get.queryOptions({ input: { sessionId } }))
  const isGone = isNotFound(query.error)
  const detail = isGone ? undefined : query.data
  const isOpen = event !== undefined && detail !== undefined
  const side = isOpen ? (
    <EventDetails
      index={event}
      onClose={() => openEvent(null)}
      onOpen={openEvent}
      sessionId={sessionId}
    />
  ) : null
  return (
    <SplitView side={side} sideLabel="Event details">
      {isGone && (
        <EmptyState
          title={`This session is not stored${query.data === undefined ? '' : ' any more'}`}
        >
          No event of it is in the database. The file may have been replaced, or the address is of
          another file.
        </EmptyState>
      )}
      {!isGone && query.isError && query.data === undefined && (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <SkeletonRows label="Reading the session…" rows={14} />}
      {detail !== undefined && <Content detail={detail} />}
    </SplitView>
  )
}

/** Opens an event's details, or closes them; steps of the keyboard leave no trail in the history. */
function useOpenEvent() {
  const setSearch = useSetSessionsSearch()
  return useCallback(
    (index: number | null, replace = false) =>
      setSearch({ event: index ?? undefined }, { replace }),
    [setSearch],
  )
}

function Content({ detail }: { readonly detail: SessionDetail }) {
  const { tab, event } = useSessionsSearch()
  const openEvent = useOpenEvent()
  const { id } = detail.summary
  return (
    <>
      <SessionHeader detail={detail} />
      <SessionTabs reducers={detail.reducers.length} />
      <div
        aria-labelledby={`tab-${tab}`}
        className="session-panel"
        id="session-panel"
        role="tabpanel"
      >
        {tab === 'timeline' ? (
          <Timeline detail={detail} onSelect={openEvent} selected={event ?? null} />
        ) : (
          <SnapshotsTab onOpenEvent={openEvent} sessionId={id} />
        )}
      </div>
    </>
  )
}
