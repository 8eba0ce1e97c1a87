import { memo } from 'react'

import type { EventState } from '../../../src/model/event.ts'
import type { BoundedCount, SessionSummary } from '../../../src/model/session.ts'
import { cutMiddle, formatCount, plural, toVisible } from '../../lib/format.ts'
import { Count } from '../../ui/count.tsx'
import { LONGEST_ID, SessionId } from '../../ui/session-id.tsx'
import { StateShape } from '../../ui/state-badge.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { fitWords } from './fit-words.ts'
import type { WorkItem } from './fit-words.ts'

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
        {summary.work === null && <Unsorted {...summary} />}
        <Work summary={summary} />
      </span>
      <span className="session-life num" title={lifeHint(summary)}>
        {lifeOf(summary)}
      </span>
    </>
  )
})

/** Work of which it is not known yet what each event waits for. */
function Unsorted({ early }: Pick<SessionSummary, 'early'>) {
  if (early === undefined) return <Count value={null} />
  return early.unfinished === 0 ? null : (
    <span title="Counted by an index; what they wait for is being looked up">
      <Count value={early.unfinished} /> unfinished
      {early.dead !== null && early.dead > 0 && `, ${formatCount(early.dead)} dead`} …
    </span>
  )
}

/** The two lines as one sentence: on screen the id is cut in two, which would be read as two words. */
export function labelOf(summary: SessionSummary): string {
  const { id, live, work, early, toReclaim, lifetimes } = summary
  const states = work === null ? [] : ORDER.filter((state) => work[state] > 0)
  return [
    cutMiddle(toVisible(id), LONGEST_ID),
    plural(live, 'event'),
    ...(work === null && early !== undefined
      ? [`${formatCount(early.unfinished)} unfinished`]
      : []),
    ...states.map((state) => `${formatCount(work?.[state] ?? 0)} ${state}`),
    ...(toReclaim.count > 0 ? [`${boundedText(toReclaim)} to reclaim`] : []),
    `lifetime ${boundedText(lifetimes)}`,
  ].join(', ')
}

function boundedText({ count, isLowerBound }: BoundedCount): string {
  return `${isLowerBound ? '≥ ' : ''}${formatCount(count)}`
}

function lifeOf({ lifetimes }: SessionSummary): string {
  return `life ${boundedText(lifetimes)}`
}

function lifeHint({ lifetimes }: SessionSummary): string {
  const least = lifetimes.isLowerBound
    ? 'at least; earlier events are gone'
    : 'counted from its markers'
  return `lifetime ${lifetimes.count} (${least})`
}

/** What is unfinished, and what could be reclaimed. Where a word has no room, pointing at it shows it. */
function Work({ summary }: { readonly summary: SessionSummary }) {
  const items = itemsOf(summary)
  const from = fitWords(plural(summary.live, 'event'), items, lifeOf(summary))
  return items.map(({ state, count, word }, place) => (
    <span className="state num" data-state={state} key={state} title={`${count} ${word}`}>
      <StateShape shape={state} />
      <span>
        {count}
        <span className="work-word" data-from={from[place]}>{` ${word}`}</span>
      </span>
    </span>
  ))
}

interface Item extends WorkItem {
  readonly state: EventState
}

function itemsOf({ work, toReclaim }: SessionSummary): readonly Item[] {
  const states = work === null ? [] : ORDER.filter((state) => work[state] > 0)
  const items: Item[] = states.map((state) => ({
    state,
    count: formatCount(work?.[state] ?? 0),
    word: state,
  }))
  if (toReclaim.count > 0) {
    items.push({ state: 'cleared', count: boundedText(toReclaim), word: 'to reclaim' })
  }
  return items
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
