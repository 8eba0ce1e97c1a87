import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'

import type { ReclaimPreview, ReclaimProgress } from '../../../src/model/action.ts'
import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { formatBytes, formatCount, plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Count } from '../../ui/count.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { ActionId, Callout, Effect } from './action-parts.tsx'
import { useReclaim } from './use-reclaim.ts'
import { useTypedId } from './use-typed-id.tsx'

interface ReclaimDialogProps {
  readonly sessionId: string
  readonly onClose: () => void
}

/** What reclaiming deletes for good, the question whether to, and its progress. */
export function ReclaimDialog({ sessionId, onClose }: ReclaimDialogProps) {
  const { queries } = useDatabase()
  const safe = useRef<HTMLButtonElement>(null)
  const preview = useQuery(
    queries.actions.previewReclaim.queryOptions({
      input: { sessionId },
      meta: READ_ONCE,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const shown = preview.data
  const typedId = useTypedId(sessionId)
  const reclaim = useReclaim(sessionId)
  const { progress, failure, isRunning, isStopping } = reclaim
  const isAsking = progress === null && failure === null
  const isEmpty = shown !== undefined && isNothing(shown)
  return (
    <Dialog
      foot={
        <>
          <Button onClick={isRunning ? reclaim.stop : onClose} ref={safe}>
            {isRunning
              ? isStopping
                ? 'Stopping…'
                : 'Stop'
              : isAsking && !isEmpty
                ? 'Cancel'
                : 'Close'}
          </Button>
          {isAsking && shown !== undefined && !isEmpty && (
            <Button
              disabled={!typedId.isGiven}
              onClick={() => reclaim.start(shown.clearIndex, typedId.confirmation)}
              tone="danger"
            >
              {`Reclaim ${shown.events.isLowerBound ? 'at least ' : ''}${plural(shown.events.count, 'event')}`}
            </Button>
          )}
        </>
      }
      initialFocus={safe}
      isOpen
      onClose={isRunning ? reclaim.stop : onClose}
      title={titleOf(progress)}
    >
      <ActionId sessionId={sessionId} />
      {preview.isPending && <LoadingState label="Counting what is left…" />}
      {preview.isError && (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      )}
      {isEmpty && (
        <p>There is nothing to reclaim: nothing from before the clear marker is stored.</p>
      )}
      {isAsking && shown !== undefined && !isEmpty && <ReclaimEffects preview={shown} />}
      {isAsking && shown !== undefined && !isEmpty && typedId.field}
      {progress !== null && <Progress progress={progress} />}
      {failure !== null && <Callout tone="bad">{failure}</Callout>}
    </Dialog>
  )
}

function titleOf(progress: ReclaimProgress | null): string {
  switch (progress?.status) {
    case 'running':
      return 'Reclaiming cleared events…'
    case 'done':
      return 'Reclaimed'
    case 'stopped':
      return 'Stopped'
    case 'failed':
      return 'Reclaiming failed'
    case undefined:
    default:
      return 'Reclaim cleared events?'
  }
}

function isNothing({ events, snapshots, pins }: ReclaimPreview): boolean {
  return events.count === 0 && snapshots === 0 && pins === 0
}

function ReclaimEffects({ preview }: { readonly preview: ReclaimPreview }) {
  const { events, payloadBytes, snapshots, pins, clearIndex } = preview
  return (
    <div className="action-text">
      <p>
        Everything of this session before its clear marker <b>#{clearIndex}</b> is deleted.{' '}
        <b>It is gone for good</b>; the app sees no difference. Indexes are not used again.
      </p>
      <ul className="effects">
        <Effect count={<Count value={events} />}>
          cleared {events.count === 1 ? 'event' : 'events'}
          {payloadBytes !== null && (
            <span className="dim">{` · ${formatBytes(payloadBytes)} of payload`}</span>
          )}
        </Effect>
        {snapshots > 0 && (
          <Effect count={formatCount(snapshots)}>
            {snapshots === 1 ? 'snapshot' : 'snapshots'} of the time before the clear
          </Effect>
        )}
        {pins > 0 && <Effect count={formatCount(pins)}>{pins === 1 ? 'pin' : 'pins'}</Effect>}
      </ul>
      <p className="dim">
        Deleted in batches of 256, so the app can write in between. The file itself does not shrink;
        its free pages are used again.
      </p>
    </div>
  )
}

function Progress({ progress }: { readonly progress: ReclaimProgress }) {
  const { deleted, total, status, detail } = progress
  const most = Math.max(total ?? 0, deleted, 1)
  return (
    <div className="reclaim-progress" data-status={status}>
      {(total !== null || status === 'running') && (
        <progress
          aria-label="Reclaimed"
          {...(total === null ? {} : { max: most, value: status === 'done' ? most : deleted })}
        />
      )}
      <p aria-live="polite" className="num">
        {detail ??
          `${plural(deleted, 'event')} deleted${total === null ? '' : ` of ${formatCount(total)}`}`}
      </p>
    </div>
  )
}
