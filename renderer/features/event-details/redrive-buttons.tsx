import type { EventDetail } from '../../../src/model/event.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { useCommands } from '../../state/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'
import type { Redrive } from '../actions/use-redrive.tsx'

/** Retry and skip of a dead letter, with their keys and for the palette. */
export function RedriveButtons({
  event: { sessionId, index },
  redrive,
}: {
  readonly event: EventDetail
  readonly redrive: Redrive
}) {
  const retry = () => redrive.retry(sessionId, index)
  const skip = () => redrive.askSkip(sessionId, index)
  useHotkeys({ r: retry, s: skip })
  useCommands({ retry, skip })
  const isRetrying = redrive.retrying !== null
  return (
    <div className="details-buttons">
      <Button disabled={isRetrying} onClick={retry} tone="primary" {...redrive.buttonProps}>
        {isRetrying ? 'Retrying…' : 'Retry'} <Kbd>R</Kbd>
      </Button>
      <Button onClick={skip} {...redrive.buttonProps}>
        Skip… <Kbd>S</Kbd>
      </Button>
    </div>
  )
}
