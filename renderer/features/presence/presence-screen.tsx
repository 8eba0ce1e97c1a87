import { useQuery } from '@tanstack/react-query'

import type { PresenceList } from '../../../src/model/presence.ts'
import { useDatabase } from '../../api/database-context.ts'
import { formatClock, plural } from '../../lib/format.ts'
import { usePreferences } from '../../state/preferences.ts'
import { Tag } from '../../ui/chip.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { NamespaceTable } from './namespace-table.tsx'
import '../../ui/page.css'
import './presence.css'

/** Who is there, by namespace. */
export function PresenceScreen() {
  const { queries } = useDatabase()
  const { zone } = usePreferences()
  const presence = useQuery(queries.presence.queryOptions())
  const { data } = presence
  return (
    <section aria-labelledby="presence-title" className="page">
      <header className="page-head">
        <h1 id="presence-title">Presence</h1>
        {data !== undefined && data.isSupported && (
          <>
            <span className="faint num">
              {data.isCut ? '≥ ' : ''}
              {plural(data.rows.length, 'participant')}
            </span>
            <Tag>{`as of ${formatClock(data.readAt, zone)}`}</Tag>
          </>
        )}
      </header>
      <div className="page-body">
        {presence.error !== null && data === undefined && (
          <ErrorState error={presence.error} onRetry={() => void presence.refetch()} />
        )}
        {data === undefined && presence.isPending && (
          <SkeletonRows label="Loading presence…" rows={8} />
        )}
        {data !== undefined && <Namespaces list={data} />}
      </div>
    </section>
  )
}

function Namespaces({ list }: { readonly list: PresenceList }) {
  if (!list.isSupported) {
    return (
      <EmptyState title="No presence in this store">
        The database has no table a2_presence. Nothing was created.
      </EmptyState>
    )
  }
  if (list.rows.length === 0) {
    return (
      <EmptyState title="Nobody is there">No participant is stored in any namespace.</EmptyState>
    )
  }
  const namespaces = Map.groupBy(list.rows, (row) => row.namespace)
  return (
    <>
      {[...namespaces].map(([name, rows]) => (
        <NamespaceTable key={name} name={name} readAt={list.readAt} rows={rows} />
      ))}
      {list.isCut && <p className="page-note">Only the first 1,000 participants are shown.</p>}
    </>
  )
}
