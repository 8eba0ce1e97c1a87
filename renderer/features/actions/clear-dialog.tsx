import { useRef } from 'react'

import type { ClearPreview } from '../../../src/model/action.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { ActionId, Callout } from './action-parts.tsx'
import { ClearEffects } from './clear-effects.tsx'
import { useClear } from './use-clear.ts'
import { useTypedId } from './use-typed-id.tsx'

interface ClearDialogProps {
  readonly sessionId: string
  readonly onClose: () => void
}

/** What a clear hides and drops, and the question whether to. */
export function ClearDialog({ sessionId, onClose }: ClearDialogProps) {
  const safe = useRef<HTMLButtonElement>(null)
  const typedId = useTypedId(sessionId)
  const onMovedOn = () => safe.current?.focus()
  const clear = useClear({ sessionId, typedId, onDone: onClose, onMovedOn })
  const { preview, shown, action, canClear, takesAll, lookAgain } = clear
  return (
    <Dialog
      foot={
        <>
          <Button onClick={onClose} ref={safe}>
            {canClear ? 'Cancel' : 'Close'}
          </Button>
          {action.refusal !== null && <Button onClick={lookAgain}>New preview</Button>}
          {canClear && shown !== undefined && (
            <Button
              disabled={action.isPending || preview.isFetching || !typedId.isGiven}
              onClick={(event) => {
                // The second click of two was meant for what stood here before the session moved on.
                if (event.detail < 2) action.run()
              }}
              tone="danger"
            >
              {labelOf(shown, { takesAll, isPending: action.isPending })}
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
      {shown !== undefined && <ClearEffects preview={shown} takesAll={takesAll} />}
      {clear.moved !== null && <Callout tone="warning">{clear.moved}</Callout>}
      {canClear && clear.mayTakeAll && (
        <TakeAll isChecked={takesAll} onChange={clear.setTakesAll} />
      )}
      {canClear && typedId.field}
      {action.refusal !== null && <Callout tone="warning">{action.refusal.detail}</Callout>}
      {action.failure !== null && <Callout tone="bad">{action.failure}</Callout>}
    </Dialog>
  )
}

interface LabelOptions {
  readonly takesAll: boolean
  readonly isPending: boolean
}

function labelOf(
  { live, needsClearsTable }: ClearPreview,
  { takesAll, isPending }: LabelOptions,
): string {
  if (isPending) return 'Clearing…'
  const what = takesAll ? 'clear all there is by then' : `clear ${plural(live, 'event')}`
  return needsClearsTable ? `Create the table and ${what}` : `C${what.slice(1)}`
}

interface TakeAllProps {
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** For a session that writes faster than a person can confirm. */
function TakeAll({ isChecked, onChange }: TakeAllProps) {
  return (
    <label className="take-all">
      <input
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      <span>
        Clear also what comes until then
        <span className="dim">
          For a session that writes faster than you can confirm. Events that nobody has seen are
          cleared and their work is dropped.
        </span>
      </span>
    </label>
  )
}
