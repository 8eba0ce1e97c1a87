import type { ReactNode } from 'react'

import type { EventDetail, EventRef } from '../../../src/model/event.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { toOneLine } from '../../lib/visible-text.ts'
import { IndexLink } from './index-link.tsx'

interface CauseSectionProps {
  readonly event: EventDetail
  readonly onOpen: ((index: number) => void) | undefined
}

const DEEPEST_INDENT = 8
/** As many as the answer holds at most; then there may be more. */
const MOST_CAUSES = 20
const MOST_EFFECTS = 100

/** The chain that led to an event, from its beginning, and what the event led to. */
export function CauseSection({ event, onOpen }: CauseSectionProps) {
  const causes = event.causes.toReversed()
  const depth = causes.length
  const end = endOf(event)
  return (
    <section className="details-section">
      <h4>Cause and effects</h4>
      <ul className="cause-tree">
        {causes.length >= MOST_CAUSES && (
          <Branch depth={0}>
            <span className="faint">earlier causes…</span>
          </Branch>
        )}
        {causes.map((link, at) => (
          <Branch depth={at} key={link.index}>
            {link.event === null ? (
              <span className="faint">{`#${link.index} is gone`}</span>
            ) : (
              <Ref event={link.event} onOpen={onOpen} />
            )}{' '}
            <span className="faint">{`attempt ${link.attempt}`}</span>
          </Branch>
        ))}
        <Branch depth={depth}>
          <b className="isolate">{`#${event.index} ${toOneLine(event.type)}`}</b>
        </Branch>
        {event.effects.map((effect) => (
          <Branch depth={depth + 1} key={effect.index}>
            <Ref event={effect} onOpen={onOpen} />{' '}
            <span className="faint">{`attempt ${effect.attempt}`}</span>
          </Branch>
        ))}
        {end !== null && (
          <Branch depth={depth + 1} isBare>
            <span className="faint">{end}</span>
          </Branch>
        )}
      </ul>
    </section>
  )
}

/** What the list of effects does not say by itself; null when that is nothing. */
function endOf({ effects, effectsThroughIndex, head, attemptCount }: EventDetail): string | null {
  const isPartial = effectsThroughIndex < head
  const range = isPartial ? ` up to #${effectsThroughIndex}` : ''
  if (effects.length >= MOST_EFFECTS) return `the first ${effects.length}; there may be more`
  if (effects.length > 0) return isPartial ? `looked${range}` : null
  if (attemptCount === 0) return `no events appended by it${range}`
  return `no events appended by its ${attemptCount === 1 ? 'attempt' : 'attempts'}${range}`
}

function Branch({
  depth,
  isBare = false,
  children,
}: {
  readonly depth: number
  readonly isBare?: boolean
  readonly children: ReactNode
}) {
  return (
    <li style={{ paddingInlineStart: Math.min(depth, DEEPEST_INDENT) * 14 }}>
      <span aria-hidden="true" className="faint">
        {isBare ? '  ' : '└ '}
      </span>
      <div>{children}</div>
    </li>
  )
}

function Ref({
  event,
  onOpen,
}: {
  readonly event: EventRef
  readonly onOpen: ((index: number) => void) | undefined
}) {
  return (
    <IndexLink index={event.index} onOpen={onOpen}>
      <span className="state" data-state={event.state} title={event.state}>
        <StateShape shape={event.state} />
        <span className="visually-hidden">{event.state}</span>
      </span>{' '}
      <span className="isolate">{`#${event.index} ${toOneLine(event.type)}`}</span>
    </IndexLink>
  )
}
