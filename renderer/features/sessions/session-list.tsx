import type { SessionView } from '../../../src/model/session.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useRefreezeEmpty } from '../../api/use-refreeze.ts'
import { formatCount } from '../../lib/format.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { Button } from '../../ui/button.tsx'
import { Count } from '../../ui/count.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { TextFilter } from '../../ui/text-filter.tsx'
import { SessionChips } from './session-chips.tsx'
import { SessionRows } from './session-rows.tsx'
import { SortMenu } from './sort-menu.tsx'
import { useSessionCounts } from './use-session-counts.ts'
import { useSessionView } from './use-session-view.ts'

/** The list column. */
export function SessionList() {
  const search = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  const frozen = useSessionView()
  const { view } = frozen
  const counts = useSessionCounts(search.q, view.data !== undefined)
  const isFiltered = search.q !== '' || search.chips.length > 0
  return (
    <section aria-label="Sessions" className="session-list">
      <header className="panel-head">
        <h1>Sessions</h1>
        <span className="faint num">
          {isFiltered && view.data !== undefined && `${formatCount(view.data.total)} of `}
          <Count value={(counts ?? view.data)?.known} />
          {view.data?.isListComplete === false && '…'}
        </span>
        <span className="end">
          <SortMenu
            direction={search.dir}
            onChange={(sort, dir) => setSearch({ sort, dir })}
            sort={search.sort}
          />
        </span>
      </header>
      <div className="filter-bar">
        <TextFilter
          label="Filter sessions by id"
          onChange={(q) => setSearch({ q }, { replace: true })}
          value={search.q}
        />
        <SessionChips counts={counts ?? view.data} />
      </div>
      {view.data !== undefined && <ListNote view={view.data} />}
      {view.data === undefined && view.isPending && (
        <SkeletonRows label="Loading sessions…" rows={12} />
      )}
      {view.error !== null && view.data === undefined && (
        <ErrorState error={view.error} onRetry={() => void view.refetch()} />
      )}
      {view.data !== undefined && view.data.total > 0 && (
        <SessionRows frozen={frozen} view={view.data} />
      )}
      {view.data?.total === 0 && (
        <NoSessions frozenAt={view.dataUpdatedAt} refreeze={view.refetch} view={view.data} />
      )}
    </section>
  )
}

function ListNote({ view }: { readonly view: SessionView }) {
  const progress = useLiveValue((state) => Math.floor((state.counts?.progress ?? 0) * 100))
  if (view.isListComplete && view.isWorkComplete) return null
  return (
    <p className="list-note" role="status">
      <span aria-hidden="true" className="spinner" />
      {view.isListComplete
        ? `Counting unfinished work… ${progress} %`
        : 'Still loading; more sessions follow.'}
    </p>
  )
}

function NoSessions({
  view,
  frozenAt,
  refreeze,
}: {
  readonly view: SessionView
  readonly frozenAt: number
  readonly refreeze: () => Promise<unknown>
}) {
  const { q, chips } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  useRefreezeEmpty({ isComplete: view.isListComplete && view.isWorkComplete, frozenAt, refreeze })
  if (q !== '' || chips.length > 0) {
    return (
      <EmptyState
        actions={<Button onClick={() => setSearch({ q: '', chips: [] })}>Clear the filter</Button>}
        title="No session matches"
      >
        {view.isListComplete && view.isWorkComplete
          ? 'Nothing in this database fits the filter.'
          : 'Nothing so far; the database is still being read.'}
      </EmptyState>
    )
  }
  if (!view.isListComplete) return <SkeletonRows label="Loading sessions…" rows={8} />
  return (
    <EmptyState title="No sessions yet">
      The store is empty. The first event that an app appends shows here.
    </EmptyState>
  )
}
