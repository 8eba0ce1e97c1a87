import { useMutation } from '@tanstack/react-query'

import type { ActionOutcome } from '../../../src/model/action.ts'
import { useDatabase } from '../../api/database-context.ts'
import { type ActedOn, describeWriteError, showOutcome, useReadAgain } from './outcome.ts'

type Refused = Extract<ActionOutcome, { outcome: 'refused' }>

export interface RunningAction {
  readonly run: () => void
  readonly isPending: boolean
  /** Set when it was refused; nothing was changed then. */
  readonly refusal: Refused | null
  /** One or two sentences; null when it did not fail. */
  readonly failure: string | null
  readonly reset: () => void
}

/** Runs an action on a session or an event from a dialog: it closes when done, and stays with the reason when refused. */
export function useAction(
  on: Omit<ActedOn, 'databaseId'>,
  act: () => Promise<ActionOutcome>,
  onDone: () => void,
  onRefused?: (refusal: Refused) => void,
): RunningAction {
  const readAgain = useReadAgain()
  const { databaseId } = useDatabase()
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: (outcome) => {
      if (outcome.outcome === 'refused') return onRefused?.(outcome)
      showOutcome({ databaseId, ...on }, outcome)
      onDone()
      return undefined
    },
    onSettled: readAgain,
  })
  return {
    run: () => mutate(),
    isPending,
    refusal: data?.outcome === 'refused' ? data : null,
    failure: error === null ? null : describeWriteError(error),
    reset,
  }
}
