import { memo } from 'react'

import type { SearchHit } from '../../../src/model/search.ts'
import { toVisible } from '../../lib/format.ts'
import { SessionId } from '../../ui/session-id.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { Snippet } from './snippet.tsx'

/** The cells of one hit, as it was when it was found. */
export const HitCells = memo(function HitCells({ hit }: { readonly hit: SearchHit }) {
  return (
    <>
      <span role="gridcell">
        <StateBadge state={hit.state} />
      </span>
      <span className="search-session" role="gridcell">
        <SessionId id={hit.sessionId} />
      </span>
      <span className="mono num" role="gridcell">
        #{hit.index}
      </span>
      <span className="mono cut isolate search-type" role="gridcell" title={toVisible(hit.type)}>
        {toVisible(hit.type)}
      </span>
      <span className="search-found" role="gridcell">
        <Snippet hit={hit} />
      </span>
      <span className="end" role="gridcell">
        <TimeAgo at={hit.createdAt} className="faint num" />
      </span>
    </>
  )
})
