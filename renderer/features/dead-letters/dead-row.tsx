import { memo } from 'react'

import type { DeadLetter } from '../../../src/model/dead-letter.ts'
import { formatCount, toVisible } from '../../lib/format.ts'
import { LaneTag } from '../../ui/chip.tsx'
import { SessionId } from '../../ui/session-id.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** The cells of one dead letter; values are current, the place in the list is frozen. */
export const DeadCells = memo(function DeadCells({ letter }: { readonly letter: DeadLetter }) {
  const { event } = letter
  return (
    <>
      <span role="gridcell">
        {event === null ? (
          <span className="faint">gone</span>
        ) : (
          <StateBadge clearedAs={event.clearedAs} state={event.state} />
        )}
      </span>
      <span className="dead-session" role="gridcell">
        <SessionId id={letter.sessionId} />
      </span>
      <span className="mono num" role="gridcell">
        #{letter.index}
      </span>
      <span className="mono cut isolate dead-type" role="gridcell" title={event?.type}>
        {event === null ? '' : toVisible(event.type)}
      </span>
      <span className="dead-lane" role="gridcell">
        <Lane letter={letter} />
      </span>
      <span
        className="mono dim cut isolate dead-error"
        role="gridcell"
        title={event?.lastErrorStart ?? undefined}
      >
        {event?.lastErrorStart ?? <span className="faint">no error stored</span>}
      </span>
      <span className="num dim end dead-failures" role="gridcell">
        {event === null ? '' : formatCount(event.failureCount)}
      </span>
      <span className="end" role="gridcell">
        {event !== null && <TimeAgo at={event.failedAt ?? event.createdAt} className="faint num" />}
      </span>
    </>
  )
})

function Lane({ letter }: { readonly letter: DeadLetter }) {
  const lane = letter.event?.lane ?? null
  if (lane === null) return null
  const waiting = `${letter.isWaitingBehindLowerBound ? '≥ ' : ''}${formatCount(letter.waitingBehind)}`
  return (
    <>
      <LaneTag name={lane} />
      <span
        className={letter.waitingBehind > 0 ? 'num dead-waiting' : 'num faint'}
        title={`${waiting} events wait behind it`}
      >
        · {waiting}
      </span>
    </>
  )
}

export function DeadSkeleton({ position }: { readonly position: number }) {
  return [44, 110, 30, 80, 50, 60 + ((position * 53) % 120)].map((width, place) => (
    // oxlint-disable-next-line react/no-array-index-key -- a fixed row of placeholders
    <span key={place} role="gridcell">
      <Skeleton width={width} />
    </span>
  ))
}
