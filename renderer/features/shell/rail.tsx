import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { formatShortCount, plural } from '../../lib/format.ts'
import {
  readAuditSearch,
  readDeadSearch,
  readFindSearch,
  readSessionsSearch,
} from '../../routes/search.ts'
import { Icon } from '../../ui/icons.tsx'

/** The screens of a database. */
export function Rail() {
  const params = { databaseId: useDatabase().databaseId }
  const active = { activeOptions: { includeSearch: false } }
  return (
    <nav aria-label="Screens" className="rail">
      <Link
        {...active}
        params={params}
        search={readSessionsSearch({})}
        title="Sessions (1)"
        to="/d/$databaseId/sessions"
      >
        <Icon name="sessions" />
        Sessions
      </Link>
      <Link
        {...active}
        params={params}
        search={readDeadSearch({})}
        title="Dead letters (2)"
        to="/d/$databaseId/dead"
      >
        <Icon name="dead" />
        Dead
        <DeadBadge />
      </Link>
      <Link {...active} params={params} title="Presence (3)" to="/d/$databaseId/presence">
        <Icon name="presence" />
        Presence
      </Link>
      <Link
        {...active}
        params={params}
        search={readAuditSearch({})}
        title="Audit (4)"
        to="/d/$databaseId/audit"
      >
        <Icon name="audit" />
        Audit
      </Link>
      <Link
        {...active}
        params={params}
        search={readFindSearch({})}
        title="Search (5)"
        to="/d/$databaseId/search"
      >
        <Icon name="search" />
        Search
      </Link>
    </nav>
  )
}

function DeadBadge(): ReactNode {
  const dead = useLiveValue((state) => state.counts?.deadLetters ?? 0)
  if (dead === 0) return null
  return (
    <span className="rail-badge">
      <span aria-hidden="true">{formatShortCount(dead)}</span>
      <span className="visually-hidden">{plural(dead, 'dead letter')}</span>
    </span>
  )
}
