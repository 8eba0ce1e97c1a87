import type { EventRow } from '../../../src/model/event.ts'
import { formatDuration, plural, toVisible } from '../../lib/format.ts'
import { StateBadge, StateShape } from '../../ui/state-badge.tsx'
import { useNow } from '../../ui/time-ago.tsx'

/** The state of an event with the one thing one wants to know about it: how long, who, behind what. */
export function StateCell({
  event,
  onOpen,
}: {
  readonly event: EventRow
  /** Opens another event of the session. */
  readonly onOpen: (index: number) => void
}) {
  switch (event.state) {
    case 'blocked':
      return <Blocked blockedBy={event.blockedBy} onOpen={onOpen} />
    case 'running':
      return <Running event={event} />
    case 'expired':
      return <StateBadge label={withHolder('expired', event)} state="expired" />
    case 'processed':
      return <StateBadge label={durationOf(event)} state="processed" />
    case 'retrying':
      return (
        <StateBadge
          label={`retrying · ${plural(event.failureCount, 'failure')}`}
          state="retrying"
        />
      )
    case 'dead':
      return (
        <StateBadge
          label={`dead · ${plural(event.failureCount, 'failure')}`}
          state="dead"
          title={`dead letter: ${plural(event.failureCount, 'failure')}, ${plural(event.attemptCount, 'attempt')} in all`}
        />
      )
    case 'ready':
    case 'settled':
    case 'skipped':
    case 'marker':
    case 'cleared':
    default:
      return <StateBadge clearedAs={event.clearedAs} state={event.state} />
  }
}

function durationOf({ createdAt, processedAt }: EventRow): string | undefined {
  return createdAt === null || processedAt === null
    ? undefined
    : formatDuration(processedAt - createdAt)
}

function withHolder(word: string, { claimHolder }: EventRow): string {
  return claimHolder === null ? word : `${word} · ${toVisible(claimHolder)}`
}

function Running({ event }: { readonly event: EventRow }) {
  const now = useNow()
  const left = (event.claimExpiresAt ?? now) - now
  const lease = left > 0 ? formatDuration(Math.ceil(left / 1_000) * 1_000) : 'lease over'
  return (
    <StateBadge
      label={`${event.claimHolder === null ? 'running' : toVisible(event.claimHolder)} · ${lease}`}
      state="running"
    />
  )
}

function Blocked({
  blockedBy,
  onOpen,
}: {
  readonly blockedBy: number | null
  readonly onOpen: (index: number) => void
}) {
  if (blockedBy === null) return <StateBadge state="blocked" />
  return (
    <button
      className="state state-link"
      data-state="blocked"
      onClick={(event) => {
        event.stopPropagation()
        onOpen(blockedBy)
      }}
      tabIndex={-1}
      title={`blocked: waits behind #${blockedBy}, an unfinished earlier event of its lane`}
      type="button"
    >
      <StateShape shape="blocked" />
      <span className="cut">{`behind #${blockedBy}`}</span>
    </button>
  )
}
