import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { showFailure, showOutcome, useReadAgain } from './outcome.ts'
import { SkipDialog } from './skip-dialog.tsx'
import { useWriteGuard } from './use-write-guard.tsx'
import type { WriteGuard } from './use-write-guard.tsx'

interface Place {
  readonly sessionId: string
  readonly index: number
}

export interface Redrive {
  /** Makes a dead letter ready again, at once. */
  readonly retry: (sessionId: string, index: number) => void
  /** Shows what skipping it would do, and asks. */
  readonly askSkip: (sessionId: string, index: number) => void
  /** The event whose retry is on its way. */
  readonly retrying: Place | null
  readonly buttonProps: WriteGuard['buttonProps']
  /** Has to stand somewhere in the page. */
  readonly dialogs: ReactNode
}

/** Retry and skip of dead letters, with all that stands around them: the lock, the preview, the outcome in words. */
export function useRedrive(): Redrive {
  const { client, databaseId } = useDatabase()
  const readAgain = useReadAgain()
  const { guard, buttonProps, dialog } = useWriteGuard()
  const [skip, setSkip] = useState<Place | null>(null)
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (place: Place) => client.actions.redrive({ ...place, action: 'retry' }),
    onSuccess: (outcome, place) => showOutcome({ databaseId, ...place }, outcome),
    onError: (error, place) => showFailure({ databaseId, ...place }, error),
    onSettled: readAgain,
  })
  return {
    retry: (sessionId, index) => guard(`retry #${index}`, () => mutate({ sessionId, index })),
    askSkip: (sessionId, index) =>
      guard(`go on to skip #${index}`, () => setSkip({ sessionId, index })),
    retrying: isPending ? variables : null,
    buttonProps,
    dialogs: (
      <>
        {dialog}
        {skip !== null && (
          <SkipDialog index={skip.index} onClose={() => setSkip(null)} sessionId={skip.sessionId} />
        )}
      </>
    ),
  }
}
