import { memo } from 'react'

import type { EventRow } from '../../../src/model/event.ts'
import { formatBytes } from '../../lib/format.ts'
import { LaneTag } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { toOneLine } from '../../lib/visible-text.ts'
import { StateCell } from './state-cell.tsx'

interface EventLineProps {
  readonly index: number
  /** null: not stored; undefined: on its way. */
  readonly event: EventRow | null | undefined
  readonly isCleared: boolean
  readonly onOpen: (index: number) => void
}

/** The cells of one event; the row around them is the timeline's. */
export const EventLine = memo(function EventLine(props: EventLineProps) {
  const { index, event, isCleared, onOpen } = props
  if (event === undefined) return <Loading index={index} />
  if (event === null) return <Missing index={index} />
  return (
    <div className="event-line" data-cleared={isCleared} role="presentation">
      <span className="event-index num" role="gridcell">
        {index}
      </span>
      <Cause cause={event.cause} />
      <span className="event-type cut isolate" role="gridcell" title={event.type}>
        {toOneLine(event.type) || '“”'}
      </span>
      <Payload event={event} />
      <span className="event-lane cut" role="gridcell">
        {event.lane !== null && <LaneTag name={event.lane} />}
      </span>
      <span className="event-state" role="gridcell">
        <StateCell event={event} onOpen={onOpen} />
      </span>
      <span className="event-age num" role="gridcell">
        <TimeAgo at={event.createdAt} />
      </span>
    </div>
  )
})

function Cause({ cause }: Pick<EventRow, 'cause'>) {
  if (cause === null) return <span aria-hidden="true" />
  const title = `caused by #${cause.index}, attempt ${cause.attempt}`
  return (
    <span className="event-cause" role="gridcell" title={title}>
      <Icon name="effect" size={12} />
      <span className="visually-hidden">{title}</span>
    </span>
  )
}

function Payload({ event }: { readonly event: EventRow }) {
  const { payloadBytes, payloadStart, isPayloadLarge = false } = event
  const text = payloadBytes === null ? 'NULL' : toOneLine(payloadStart) || '…'
  return (
    <span className="event-payload" role="gridcell">
      <span className="cut isolate">
        {isPayloadLarge ? <i>large: open it to read it</i> : text}
      </span>
      {payloadBytes !== null && (isPayloadLarge || payloadBytes > 10_240) && (
        <span className="event-size" title={isPayloadLarge ? 'as stored, compressed' : undefined}>
          {formatBytes(payloadBytes)}
        </span>
      )}
    </span>
  )
}

function Loading({ index }: { readonly index: number }) {
  return (
    <div className="event-line" role="presentation">
      <span className="event-index num" role="gridcell">
        {index}
      </span>
      <span aria-hidden="true" />
      <span role="gridcell">
        <Skeleton width={`${48 + ((index * 37) % 45)}%`} />
      </span>
      <span role="gridcell">
        <Skeleton width={`${30 + ((index * 53) % 60)}%`} />
      </span>
    </div>
  )
}

function Missing({ index }: { readonly index: number }) {
  return (
    <div className="event-line" data-cleared="true" role="presentation">
      <span className="event-index num" role="gridcell">
        {index}
      </span>
      <span aria-hidden="true" />
      <span className="event-missing" role="gridcell">
        gone: not stored
      </span>
    </div>
  )
}
