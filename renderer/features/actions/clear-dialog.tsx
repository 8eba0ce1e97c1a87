import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'

import type { ClearPreview } from '../../../src/model/action.ts'
import { pendingOf } from '../../../src/model/session.ts'
import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { ActionId, Callout, Effect, WorkList } from './action-parts.tsx'
import { useAction } from './use-action.ts'
import { useTypedId } from './use-typed-id.tsx'

interface ClearDialogProps {
  readonly sessionId: string
  readonly onClose: () => void
}

/** What a clear hides and drops, and the question whether to. Acts on exactly the head it showed. */
export function ClearDialog({ sessionId, onClose }: ClearDialogProps) {
  const { client, queries } = useDatabase()
  const safe = useRef<HTMLButtonElement>(null)
  const preview = useQuery(
    queries.actions.previewClear.queryOptions({
      input: { sessionId },
      meta: READ_ONCE,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const shown = preview.data
  const typedId = useTypedId(sessionId)
  const action = useAction(
    sessionId,
    () =>
      client.actions.clear({
        sessionId,
        ifLastIndex: shown?.head ?? 0,
        createClearsTable: shown?.needsClearsTable ?? false,
        ...typedId.confirmation,
      }),
    onClose,
  )
  const lookAgain = () => {
    action.reset()
    void preview.refetch()
  }
  const canClear = shown !== undefined && !shown.isEmpty && action.refusal === null
  return (
    <Dialog
      foot={
        <>
          <Button onClick={onClose} ref={safe}>
            {canClear ? 'Cancel' : 'Close'}
          </Button>
          {action.refusal !== null && <Button onClick={lookAgain}>New preview</Button>}
          {canClear && (
            <Button
              disabled={action.isPending || preview.isFetching || !typedId.isGiven}
              onClick={action.run}
              tone="danger"
            >
              {labelOf(shown, action.isPending)}
            </Button>
          )}
        </>
      }
      initialFocus={safe}
      isOpen
      onClose={onClose}
      title="Clear this session?"
    >
      <ActionId sessionId={sessionId} />
      {preview.isPending && <LoadingState label="Counting what it hides…" />}
      {preview.isError && <ErrorState error={preview.error} onRetry={lookAgain} />}
      {shown !== undefined && <ClearEffects preview={shown} />}
      {canClear && typedId.field}
      {action.refusal !== null && <Callout tone="warning">{action.refusal.detail}</Callout>}
      {action.failure !== null && <Callout tone="bad">{action.failure}</Callout>}
    </Dialog>
  )
}

function labelOf({ live, needsClearsTable }: ClearPreview, isPending: boolean): string {
  if (isPending) return 'Clearing…'
  const what = `clear ${plural(live, 'event')}`
  return needsClearsTable ? `Create the table and ${what}` : `C${what.slice(1)}`
}

function ClearEffects({ preview }: { readonly preview: ClearPreview }) {
  const { live, work, head, clearIndex, snapshots, isEmpty, needsClearsTable } = preview
  if (isEmpty) return <p>There is nothing to clear: no event stands after the last clear marker.</p>
  const pending = pendingOf(work)
  return (
    <div className="action-text">
      <p>
        A clear marker is appended as <b>#{head + 1}</b>. Nothing is deleted: what stands before it
        stays on disk, greyed, until you reclaim it. Work on it is over for the app.
      </p>
      <ul className="effects">
        <Effect count={formatCount(live)}>
          {live === 1 ? 'event becomes' : 'events become'} invisible to the app
          <span className="dim">{` · ${live === 1 ? '' : `#${clearIndex + 1}–`}#${head}`}</span>
        </Effect>
        {pending + work.dead > 0 && (
          <Effect count={formatCount(pending + work.dead)}>
            unfinished, dropped: <WorkList work={work} />
            {work.running > 0 && (
              <p className="dim">What a worker is doing now will be refused when it finishes.</p>
            )}
          </Effect>
        )}
        {snapshots.length > 0 && (
          <Effect count={formatCount(snapshots.length)}>
            {snapshots.length === 1 ? 'snapshot stops' : 'snapshots stop'} counting
            <SnapshotNames snapshots={snapshots} />
          </Effect>
        )}
      </ul>
      {needsClearsTable && (
        <Callout tone="warning">
          This file was made by a2 0.16 and has no table <code>a2_clears</code>. Clearing creates
          that one table, as a2 0.18 does when it opens the file. An app on 0.16 does not know clear
          markers.
        </Callout>
      )}
    </div>
  )
}

const NAMED = 6

function SnapshotNames({ snapshots }: Pick<ClearPreview, 'snapshots'>) {
  const names = snapshots
    .slice(0, NAMED)
    .map(({ reducer, upToIndex, isHead }) => `${reducer} @${upToIndex}${isHead ? '' : ' (kept)'}`)
  const more = snapshots.length - names.length
  return (
    <p className="dim isolate">
      {names.join(', ')}
      {more > 0 && ` and ${formatCount(more)} more`}
    </p>
  )
}
