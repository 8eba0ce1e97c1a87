import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'

import type { EventDetail } from '../../../src/model/event.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { IconButton } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../ui/states.tsx'
import { useRedrive } from '../actions/use-redrive.tsx'
import { JsonView } from '../json-view/json-view.tsx'
import { toOneLine } from '../../lib/visible-text.ts'
import { AttemptsSection } from './attempts-section.tsx'
import { CauseSection } from './cause-section.tsx'
import './event-details.css'
import { EventSection, UnknownColumns } from './event-section.tsx'
import { RedriveButtons } from './redrive-buttons.tsx'
import { StateBanner } from './state-banner.tsx'

interface EventDetailsProps {
  readonly sessionId: string
  readonly index: number
  readonly onClose: () => void
  /** Opens another event of the same session; without it, indexes are text. */
  readonly onOpen?: ((index: number) => void) | undefined
}

/** All that is known of one event, kept current in place. */
export function EventDetails({ sessionId, index, onClose, onOpen }: EventDetailsProps) {
  const { queries } = useDatabase()
  const query = useQuery(queries.events.get.queryOptions({ input: { sessionId, index } }))
  useHotkeys({ Escape: onClose })
  // A server that is away is said once, above; what was read stays.
  const isAway = useLiveValue(
    ({ report }) => report !== null && report.state.status !== 'connected',
  )
  const isGone = isNotFound(query.error)
  const event = isGone ? undefined : query.data
  return (
    <div className="event-details">
      <header className="details-head">
        <h3 className="mono cut" title={event?.type}>
          {`#${index}`}
          {event !== undefined && <span className="isolate">{` ${toOneLine(event.type)}`}</span>}
        </h3>
        <Kbd>Esc</Kbd>
        <IconButton icon="close" label="Close the details" onClick={onClose} />
      </header>
      {isGone && (
        <EmptyState title={`#${index} is not stored${query.data === undefined ? '' : ' any more'}`}>
          {query.data === undefined
            ? 'No event of this session has this index, or it was reclaimed.'
            : 'It was reclaimed, or the file was replaced, while you looked at it.'}
        </EmptyState>
      )}
      {!isGone && query.isError && !(isAway && event !== undefined) && (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <LoadingState label={`Reading #${index}…`} />}
      {event !== undefined && <Body event={event} key={`${index}:${sessionId}`} onOpen={onOpen} />}
    </div>
  )
}

function Body({
  event,
  onOpen,
}: {
  readonly event: EventDetail
  readonly onOpen: ((index: number) => void) | undefined
}) {
  const { client } = useDatabase()
  const { sessionId, index } = event
  const loadPayload = useCallback(
    (offsetBytes: number) => client.events.payload({ sessionId, index, offsetBytes }),
    [client, sessionId, index],
  )
  const redrive = useRedrive()
  return (
    <div className="details-body">
      <section className="details-section">
        <StateBanner event={event} onOpen={onOpen} />
        {event.state === 'dead' && <RedriveButtons event={event} redrive={redrive} />}
      </section>
      <section className="details-section">
        <JsonView first={event.payload} load={loadPayload} size="fit" title="Payload" />
      </section>
      {event.state !== 'marker' && (
        <>
          <CauseSection event={event} onOpen={onOpen} />
          <AttemptsSection event={event} onOpen={onOpen} />
        </>
      )}
      <EventSection event={event} />
      {event.unknownColumns.length > 0 && <UnknownColumns columns={event.unknownColumns} />}
      {redrive.dialogs}
    </div>
  )
}
