import { useState } from 'react'

import type { EventDetail } from '../../../src/model/event.ts'
import { formatCount, toVisible } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time-ago.tsx'
import { toLines } from '../../lib/visible-text.ts'
import { Fact, Facts } from './facts.tsx'
import { IndexLink } from './index-link.tsx'

interface AttemptsSectionProps {
  readonly event: EventDetail
  readonly onOpen: ((index: number) => void) | undefined
}

/** Who tried it how often, what went wrong, who holds it, and its standing in its lane. */
export function AttemptsSection({ event, onOpen }: AttemptsSectionProps) {
  const { attemptCount, failureCount, failedAt, claimHolder, claimExpiresAt } = event
  return (
    <section className="details-section">
      <h4>Attempts and claim</h4>
      <Facts>
        <Fact name="attempts">{formatCount(attemptCount)}</Fact>
        <Fact name="failures">{formatCount(failureCount)}</Fact>
        {failedAt !== null && (
          <Fact name={event.processedAt === null ? 'dead since' : 'died'}>
            <Time at={failedAt} />
          </Fact>
        )}
        <Fact name="claim">
          {claimHolder === null && claimExpiresAt === null ? (
            'none'
          ) : (
            <>
              <span className="isolate">
                {claimHolder === null ? 'no holder' : toVisible(claimHolder)}
              </span>
              {' until '}
              <Time at={claimExpiresAt} />
            </>
          )}
        </Fact>
        <Fact name="lane">
          <Lane event={event} onOpen={onOpen} />
        </Fact>
      </Facts>
      {event.lastError !== null && <LastError text={event.lastError} />}
    </section>
  )
}

function Lane({ event, onOpen }: AttemptsSectionProps) {
  const { lane, laneReady, laneStanding, index } = event
  if (lane === null) return <>none</>
  const headIndex = laneStanding?.headIndex ?? null
  return (
    <>
      <span className="isolate">{lane === '' ? '“”' : lane}</span>
      {headIndex === index && ' · head'}
      {headIndex !== null && headIndex !== index && (
        <>
          {' · head is '}
          <IndexLink index={headIndex} onOpen={onOpen} />
        </>
      )}
      {event.processedAt === null &&
        event.failedAt === null &&
        (laneReady ? ' · ready' : ' · not its turn')}
      {laneStanding !== null && event.processedAt === null && laneStanding.waitingBehind > 0 && (
        <>
          {' · '}
          {laneStanding.isWaitingBehindLowerBound && '≥ '}
          {formatCount(laneStanding.waitingBehind)} behind{' '}
          {headIndex === index ? 'it' : `#${index}`}
        </>
      )}
    </>
  )
}

const SHORT = 600

function LastError({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > SHORT
  return (
    <div className="last-error">
      <div className="last-error-head">
        <span className="dim">last error</span>
        <CopyButton label="Copy the error" text={text} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre className="isolate" tabIndex={0}>
        {toLines(isWhole ? text : text.slice(0, SHORT))}
        {isLong && !isWhole && '…'}
      </pre>
      {isLong && (
        <Button onClick={() => setWhole(!isWhole)} size="small" tone="plain">
          {isWhole ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
    </div>
  )
}
