import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'

import { useDatabase } from '../../api/database-context.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { ToggleTag } from '../../ui/chip.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { AuditTable } from './audit-table.tsx'
import '../../ui/page.css'
import './audit.css'

const PAGE_ENTRIES = 100

/** What was changed from this machine, newest first. */
export function AuditScreen() {
  const { scope } = useSearch({ from: '/d/$databaseId/audit' })
  const audit = useAuditPages(scope)
  const pages = audit.data?.pages ?? []
  const entries = pages.flatMap((page) => page.entries)
  const unreadable = pages.reduce((sum, page) => sum + page.unreadableLines, 0)
  return (
    <section aria-labelledby="audit-title" className="page">
      <header className="page-head">
        <h1 id="audit-title">Audit</h1>
        <ScopeToggle scope={scope} />
        {pages[0] !== undefined && (
          <span className="audit-path cut isolate end" title={pages[0].path}>
            {pages[0].path}
          </span>
        )}
      </header>
      <div className="page-body">
        {audit.error !== null && audit.data === undefined && (
          <ErrorState error={audit.error} onRetry={() => void audit.refetch()} />
        )}
        {audit.isPending && <SkeletonRows label="Loading the audit log…" rows={8} />}
        {entries.length > 0 && <AuditTable entries={entries} showsDatabase={scope === 'all'} />}
        {audit.isSuccess && entries.length === 0 && !audit.hasNextPage && (
          <EmptyState title="Nothing was changed yet">
            Every clear, reclaim, retry and skip from this machine is written down here, with what
            guarded it and how it ended.
          </EmptyState>
        )}
        {unreadable > 0 && (
          <p className="page-note">
            {plural(unreadable, 'line')} of the log could not be read and stay as they are.
          </p>
        )}
        {audit.hasNextPage && (
          <div className="audit-more">
            <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
              {audit.isFetchingNextPage ? 'Loading…' : 'Load older'}
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}

type Scope = 'database' | 'all'

function useAuditPages(scope: Scope) {
  const { queries } = useDatabase()
  return useInfiniteQuery(
    queries.audit.infiniteOptions({
      input: (beforeOffset: number | null) => ({ scope, beforeOffset, limit: PAGE_ENTRIES }),
      initialPageParam: null,
      getNextPageParam: (page) => page.nextBeforeOffset,
      refetchOnMount: 'always',
    }),
  )
}

function ScopeToggle({ scope }: { readonly scope: Scope }) {
  const navigate = useNavigate()
  const choose = (next: Scope) =>
    void navigate({
      from: '/d/$databaseId/audit',
      to: '/d/$databaseId/audit',
      search: { scope: next },
    })
  return (
    <>
      <ToggleTag isOn={scope === 'database'} onClick={() => choose('database')}>
        This database
      </ToggleTag>
      <ToggleTag isOn={scope === 'all'} onClick={() => choose('all')}>
        All databases
      </ToggleTag>
    </>
  )
}
