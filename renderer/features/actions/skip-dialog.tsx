import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'

import type { ActionOutcome, RedrivePreview } from '../../../src/model/action.ts'
import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { toVisible } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Count } from '../../ui/count.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { ActionId, Callout } from './action-parts.tsx'
import { useAction } from './use-action.ts'

interface SkipDialogProps {
  readonly sessionId: string
  readonly index: number
  readonly onClose: () => void
}

/** What skipping a dead letter does, and the question whether to. */
export function SkipDialog({ sessionId, index, onClose }: SkipDialogProps) {
  const { client, queries } = useDatabase()
  const safe = useRef<HTMLButtonElement>(null)
  const input = { sessionId, index, action: 'skip' } as const
  const preview = useQuery(
    queries.actions.previewRedrive.queryOptions({
      input,
      meta: READ_ONCE,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const released = preview.data?.becomesReady ?? null
  const action = useAction(
    { sessionId, index },
    async () => withReleased(await client.actions.redrive(input), released),
    onClose,
  )
  const canSkip = preview.data?.isStillDead === true && action.refusal === null
  return (
    <Dialog
      foot={
        <>
          <Button onClick={onClose} ref={safe}>
            {canSkip ? 'Cancel' : 'Close'}
          </Button>
          {canSkip && (
            <Button disabled={action.isPending} onClick={action.run} tone="danger">
              {action.isPending ? 'Skipping…' : `Skip #${index}`}
            </Button>
          )}
        </>
      }
      initialFocus={safe}
      isOpen
      onClose={onClose}
      title={`Skip #${index}?`}
    >
      <ActionId sessionId={sessionId} />
      {preview.isPending && <LoadingState label="Looking at its lane…" />}
      {preview.isError && (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      )}
      {preview.data !== undefined && <SkipPreview preview={preview.data} />}
      {action.refusal !== null && <Callout tone="warning">{action.refusal.detail}</Callout>}
      {action.failure !== null && <Callout tone="bad">{action.failure}</Callout>}
    </Dialog>
  )
}

/** While it stood at the head of its lane nothing else could become the next one: what was shown still holds. */
function withReleased(
  outcome: ActionOutcome,
  released: RedrivePreview['becomesReady'],
): ActionOutcome {
  if (outcome.outcome !== 'done' || released === null) return outcome
  return { ...outcome, detail: `${outcome.detail} #${released.index} is ready now.` }
}

function SkipPreview({ preview }: { readonly preview: RedrivePreview }) {
  const { index, type, isStillDead, lastErrorStart } = preview
  if (!isStillDead) {
    return <p>{`#${index} is no longer a dead letter. There is nothing to skip.`}</p>
  }
  return (
    <div className="action-text">
      <p>
        <b className="mono isolate">{type}</b> is marked as processed without having been handled.
        That it failed stays on record: it is shown as skipped.
      </p>
      <p>
        <LaneEffect preview={preview} />
      </p>
      {lastErrorStart !== null && <pre className="action-error isolate">{lastErrorStart}</pre>}
      <p className="dim">A skip cannot be taken back.</p>
    </div>
  )
}

function LaneEffect({ preview }: { readonly preview: RedrivePreview }) {
  const { lane, becomesReady, waitingBehind } = preview
  if (lane === null) return <>It has no lane: no event waits for it.</>
  if (becomesReady === null) {
    return (
      <>
        No event of lane <b className="isolate">{toVisible(lane)}</b> becomes ready by it.
      </>
    )
  }
  return (
    <>
      <b>
        #{becomesReady.index} <span className="mono isolate">{toVisible(becomesReady.type)}</span>
      </b>{' '}
      becomes ready in lane <b className="isolate">{toVisible(lane)}</b>
      {waitingBehind.count > 1 && (
        <>
          , the first of <Count value={waitingBehind} /> that wait there
        </>
      )}
      .
    </>
  )
}
