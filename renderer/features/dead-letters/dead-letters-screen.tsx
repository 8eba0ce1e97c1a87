import { useSearch } from '@tanstack/react-router'

import { useLiveValue } from '../../api/use-live.ts'
import { useDatabase } from '../../api/database-context.ts'
import { useRefreezeEmpty } from '../../api/use-refreeze.ts'
import { formatClock, plural } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { useOpenSession, useSetDeadSearch } from '../../routes/use-search.ts'
import { usePreferences } from '../../state/preferences.ts'
import type { DeadLetterView } from '../../../src/model/dead-letter.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd, Tag } from '../../ui/chip.tsx'
import { SplitView } from '../../ui/split-view.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { TextFilter } from '../../ui/text-filter.tsx'
import { EventDetails } from '../event-details/event-details.tsx'
import { DeadRows } from './dead-rows.tsx'
import { useDeadView } from './use-dead-view.ts'
import './dead-letters.css'

/** Dead letters of all sessions, newest failure first. */
export function DeadLettersScreen() {
  const { s: sessionId, event, q } = useSearch({ from: '/d/$databaseId/dead' })
  const setSearch = useSetDeadSearch()
  const frozen = useDeadView(q)
  const { view } = frozen
  const side =
    sessionId === undefined || event === undefined ? null : (
      <EventDetails
        index={event}
        onClose={() => setSearch({ s: undefined, event: undefined })}
        sessionId={sessionId}
      />
    )
  return (
    <SplitView side={side} sideLabel="Event">
      <header className="dead-title">
        <h1>Dead letters</h1>
        {view.data !== undefined && (
          <span className="faint num">
            {plural(view.data.total, 'event')} in {plural(view.data.sessions, 'session')}
          </span>
        )}
        {view.data !== undefined && <AsOf view={view.data} />}
        {sessionId !== undefined && event !== undefined && (
          <OpenSession event={event} sessionId={sessionId} />
        )}
        <TextFilter
          label="Filter dead letters"
          onChange={(text) => setSearch({ q: text }, { replace: true })}
          placeholder="Filter by session, type, lane, error"
          value={q}
        />
      </header>
      {view.data === undefined && view.isPending && (
        <SkeletonRows label="Loading dead letters…" rows={12} />
      )}
      {view.error !== null && view.data === undefined && (
        <ErrorState error={view.error} onRetry={() => void view.refetch()} />
      )}
      {view.data !== undefined && view.data.total > 0 && (
        <DeadRows frozen={frozen} view={view.data} />
      )}
      {view.data?.total === 0 && (
        <NoDeadLetters
          filter={q}
          frozenAt={view.dataUpdatedAt}
          refreeze={view.refetch}
          view={view.data}
        />
      )}
    </SplitView>
  )
}

function OpenSession({ sessionId, event }: { readonly sessionId: string; readonly event: number }) {
  const open = useOpenSession(useDatabase().databaseId)
  const go = () => open(sessionId, event)
  useHotkeys({ o: go })
  return (
    <Button onClick={go} size="small" title="Show this event in its session">
      Open session <Kbd>O</Kbd>
    </Button>
  )
}

function AsOf({ view }: { readonly view: DeadLetterView }) {
  const { zone } = usePreferences()
  const progress = useLiveValue((state) => Math.floor((state.counts?.progress ?? 0) * 100))
  const when =
    view.countedAt === null ? 'not counted yet' : `as of ${formatClock(view.countedAt, zone)}`
  return (
    <span className="dead-as-of" data-complete={view.isComplete}>
      <Tag>{`${when} · ${view.isComplete ? 'complete' : `counting ${progress} %`}`}</Tag>
    </span>
  )
}

function NoDeadLetters({
  view,
  filter,
  frozenAt,
  refreeze,
}: {
  readonly view: DeadLetterView
  readonly filter: string
  readonly frozenAt: number
  readonly refreeze: () => Promise<unknown>
}) {
  const setSearch = useSetDeadSearch()
  useRefreezeEmpty({ isComplete: view.isComplete, frozenAt, refreeze })
  if (filter !== '') {
    return (
      <EmptyState
        actions={<Button onClick={() => setSearch({ q: '' })}>Clear the filter</Button>}
        title="No dead letter matches"
      >
        {view.isComplete
          ? 'None fits the filter.'
          : 'None so far; the database is still being read.'}
      </EmptyState>
    )
  }
  if (!view.isComplete) return <SkeletonRows label="Looking for dead letters…" rows={8} />
  return (
    <EmptyState title="No dead letters">
      No live event has failed for good. Dead letters that were cleared are found in their session’s
      older lifetimes.
    </EmptyState>
  )
}
