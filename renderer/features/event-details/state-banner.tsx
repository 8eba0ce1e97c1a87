import type { ReactNode } from 'react'

import type { EventDetail } from '../../../src/model/event.ts'
import { formatCount, formatDuration, plural, toVisible } from '../../lib/format.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { TimeAgo, useNow } from '../../ui/time-ago.tsx'
import { IndexLink } from './index-link.tsx'

interface BannerProps {
  readonly event: EventDetail
  readonly onOpen: ((index: number) => void) | undefined
}

const TITLES: Readonly<Record<EventDetail['state'], string>> = {
  marker: 'Clear marker.',
  cleared: 'Cleared.',
  skipped: 'Skipped.',
  settled: 'Settled.',
  processed: 'Processed.',
  dead: 'Dead letter.',
  running: 'Running.',
  expired: 'Expired.',
  blocked: 'Blocked.',
  retrying: 'Retrying.',
  ready: 'Ready.',
}

/** The state in a sentence: what it means for this event, and who or what it waits for. */
export function StateBanner({ event, onOpen }: BannerProps) {
  return (
    <div className="state-banner state" data-state={event.state}>
      <StateShape shape={event.state} />
      <p>
        <b>{TITLES[event.state]}</b> <Sentence event={event} onOpen={onOpen} />
      </p>
    </div>
  )
}

function Sentence({ event, onOpen }: BannerProps): ReactNode {
  switch (event.state) {
    case 'dead':
      return <Dead event={event} />
    case 'blocked':
      return <Blocked event={event} onOpen={onOpen} />
    case 'running':
      return <Running event={event} />
    case 'expired':
      return <Expired event={event} />
    case 'cleared':
      return <Cleared event={event} onOpen={onOpen} />
    case 'processed':
      return <Processed event={event} />
    case 'retrying':
      return `${plural(event.failureCount, 'attempt')} failed. It is ready for the next one.`
    case 'ready':
      return 'It waits for a worker to claim it.'
    case 'settled':
      return 'It was appended as already processed: no handler runs for it.'
    case 'skipped':
      return 'It failed for good and was then marked as processed without having been handled.'
    case 'marker':
    default:
      return 'What stands before it in this session is invisible to the app.'
  }
}

function Dead({ event }: { readonly event: EventDetail }) {
  const { failureCount, failedAt, laneStanding } = event
  return (
    <>
      {`${plural(failureCount, 'attempt')} failed`}
      {failedAt !== null && (
        <>
          , the last one <TimeAgo at={failedAt} suffix=" ago" />
        </>
      )}
      .{laneStanding?.headIndex === event.index && <Heads standing={laneStanding} />}
    </>
  )
}

function Heads({ standing }: { readonly standing: NonNullable<EventDetail['laneStanding']> }) {
  const { name, waitingBehind, isWaitingBehindLowerBound } = standing
  const count = `${isWaitingBehindLowerBound ? 'at least ' : ''}${formatCount(waitingBehind)}`
  return (
    <>
      {' It heads lane '}
      <b className="isolate">{name}</b>
      {waitingBehind === 0
        ? '; nothing waits behind it.'
        : `: ${count} ${waitingBehind === 1 ? 'event waits' : 'events wait'} behind it.`}
    </>
  )
}

function Blocked({ event, onOpen }: BannerProps) {
  return (
    <>
      It waits for its turn
      {event.lane !== null && (
        <>
          {' in lane '}
          <b className="isolate">{toVisible(event.lane)}</b>
        </>
      )}
      {event.blockedBy !== null && (
        <>
          , behind <IndexLink index={event.blockedBy} onOpen={onOpen} />
        </>
      )}
      .
    </>
  )
}

function Running({ event }: { readonly event: EventDetail }) {
  const now = useNow()
  const left = (event.claimExpiresAt ?? now) - now
  return (
    <>
      <Holder name={event.claimHolder} />
      {` holds it, attempt ${event.attemptCount}`}
      {left > 0
        ? `, for another ${formatDuration(Math.ceil(left / 1_000) * 1_000)} unless renewed.`
        : '; its lease has just run out.'}
    </>
  )
}

function Holder({ name }: { readonly name: string | null }) {
  return <b className="isolate">{name === null ? 'A worker' : toVisible(name)}</b>
}

function Expired({ event }: { readonly event: EventDetail }) {
  return (
    <>
      <Holder name={event.claimHolder} />
      {' held it until '}
      <TimeAgo at={event.claimExpiresAt} suffix=" ago" />
      {' and did not finish: it died or is slow. The next claim takes it over.'}
    </>
  )
}

const WAS: Readonly<Record<NonNullable<EventDetail['clearedAs']>, string>> = {
  processed: 'It had been processed by then.',
  settled: 'It had been settled.',
  skipped: 'It had been skipped.',
  dead: 'It was a dead letter then.',
  abandoned: 'It was unfinished then and was abandoned.',
}

function Cleared({ event, onOpen }: BannerProps) {
  return (
    <>
      It stands before the clear marker <IndexLink index={event.clearIndex} onOpen={onOpen} />, so
      the app does not see it. {event.clearedAs !== null && WAS[event.clearedAs]}
    </>
  )
}

function Processed({ event }: { readonly event: EventDetail }) {
  const { createdAt, processedAt, attemptCount } = event
  if (createdAt === null || processedAt === null) return null
  const took = processedAt - createdAt
  if (took < 0) {
    return `${formatDuration(took)}: its end lies before its beginning, so two clocks differ.`
  }
  return `${formatDuration(took)} after it was appended, by attempt ${attemptCount}.`
}
