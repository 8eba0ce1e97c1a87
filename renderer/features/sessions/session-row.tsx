import { memo } from 'react'

import type { EventState } from '../../../src/model/event.ts'
import type { BoundedCount, SessionSummary, WorkCounts } from '../../../src/model/session.ts'
import { cutMiddle, formatCount, plural, toVisible } from '../../lib/format.ts'
import { Count } from '../../ui/count.tsx'
import { StateShape } from '../../ui/state-badge.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** The most urgent first: the line may be too short for all. */
const ORDER = [
  'dead',
  'expired',
  'retrying',
  'blocked',
  'running',
  'ready',
] as const satisfies readonly EventState[]

/** Two lines about one session. */
export const SessionSummaryLines = memo(function SessionSummaryLines({
  summary,
}: {
  readonly summary: SessionSummary
}) {
  return (
    <>
      <SessionId id={summary.id} />
      <TimeAgo at={summary.lastActivityAt} className="session-age num" />
      <span className="session-work">
        <span>
          <Count value={summary.live} /> {summary.live === 1 ? 'event' : 'events'}
        </span>
        <Work work={summary.work} />
        {summary.toReclaim.count > 0 && (
          <span>
            <Count value={summary.toReclaim} /> to reclaim
          </span>
        )}
      </span>
      <span className="session-life num" title={lifeHint(summary)}>
        life {boundOf(summary.lifetimes)}
        {formatCount(summary.lifetimes.count)}
      </span>
    </>
  )
})

/** The two lines as one sentence: on screen the id is cut in two, which would be read as two words. */
export function labelOf(summary: SessionSummary): string {
  const { id, live, work, toReclaim, lifetimes } = summary
  const states = work === null ? [] : ORDER.filter((state) => work[state] > 0)
  return [
    cutMiddle(toVisible(id), LONGEST),
    plural(live, 'event'),
    ...states.map((state) => `${formatCount(work?.[state] ?? 0)} ${state}`),
    ...(toReclaim.count > 0
      ? [`${boundOf(toReclaim)}${formatCount(toReclaim.count)} to reclaim`]
      : []),
    `lifetime ${boundOf(lifetimes)}${formatCount(lifetimes.count)}`,
  ].join(', ')
}

function boundOf({ isLowerBound }: BoundedCount): string {
  return isLowerBound ? '≥ ' : ''
}

function lifeHint({ lifetimes }: SessionSummary): string {
  const least = lifetimes.isLowerBound
    ? 'at least; earlier events are gone'
    : 'counted from its markers'
  return `lifetime ${lifetimes.count} (${least})`
}

function Work({ work }: { readonly work: WorkCounts | null }) {
  if (work === null) return <Count value={null} />
  return ORDER.filter((state) => work[state] > 0).map((state) => (
    <span className="state num" data-state={state} key={state}>
      <StateShape shape={state} />
      {formatCount(work[state])} {state}
    </span>
  ))
}

const LONGEST = 200
const TAIL = 7

/** Ids often differ at their end, so plain ones keep it when they are cut. */
function SessionId({ id }: { readonly id: string }) {
  const text = cutMiddle(toVisible(id), LONGEST)
  const title =
    id.length > LONGEST ? `${formatCount(id.length)} characters: ${text}` : toVisible(id)
  // Bidirectional text would be reordered between the two halves.
  if (text.length <= 2 * TAIL || !/^[ -~…]+$/.test(text)) {
    return (
      <span className="session-id" title={title}>
        <span className="cut isolate">{text}</span>
      </span>
    )
  }
  return (
    <span className="session-id" title={title}>
      <span className="cut">{text.slice(0, -TAIL)}</span>
      <span className="tail">{text.slice(-TAIL)}</span>
    </span>
  )
}

/** The place of a row that is on its way. */
export function SessionSkeleton({ position }: { readonly position: number }) {
  return (
    <>
      <Skeleton width={`${45 + ((position * 37) % 40)}%`} />
      <Skeleton width={22} />
    </>
  )
}
