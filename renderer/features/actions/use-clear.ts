import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { ClearPreview } from '../../../src/model/action.ts'
import { useDatabase } from '../../api/database-context.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { describeMoved } from './describe-moved.ts'
import { useAction } from './use-action.ts'
import type { TypedId } from './use-typed-id.tsx'

interface ClearOptions {
  readonly sessionId: string
  readonly typedId: TypedId
  readonly onDone: () => void
  /** The session was not as it was shown; it is being looked at again. */
  readonly onMovedOn: () => void
}

/** A clear of exactly what is shown. Where the session moved on it is shown anew, with what came since. */
export function useClear({ sessionId, typedId, onDone, onMovedOn }: ClearOptions) {
  const { client, queries } = useDatabase()
  const preview = useQuery(
    queries.actions.previewClear.queryOptions({
      input: { sessionId },
      meta: READ_ONCE,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const shown = preview.isError ? undefined : preview.data
  /** What was shown when the session had moved on. */
  const [before, setBefore] = useState<ClearPreview | null>(null)
  const [wantsAll, setWantsAll] = useState(false)
  const mayTakeAll = before !== null && !typedId.isProduction && shown?.isEmpty === false
  const takesAll = wantsAll && mayTakeAll
  const action = useAction(
    { sessionId },
    () =>
      client.actions.clear({
        sessionId,
        createClearsTable: shown?.needsClearsTable ?? false,
        ...typedId.confirmation,
        ...(takesAll
          ? { ifClearIndex: shown?.clearIndex ?? 0, lastSeen: shown?.head ?? 0 }
          : { ifLastIndex: shown?.head ?? 0 }),
      }),
    onDone,
    ({ reason }) => {
      if (reason !== 'moved-on' || shown === undefined) return
      setBefore(shown)
      onMovedOn()
      void preview.refetch()
    },
  )
  const refusal = action.refusal?.reason === 'moved-on' ? null : action.refusal
  return {
    preview,
    shown,
    action: { ...action, refusal },
    canClear: shown?.isEmpty === false && refusal === null,
    /** null: it did not move on since it was shown first. */
    moved: before === null ? null : wordsOf(before, preview.isFetching ? undefined : shown),
    mayTakeAll,
    takesAll,
    setTakesAll: setWantsAll,
    lookAgain: () => {
      setBefore(null)
      setWantsAll(false)
      action.reset()
      void preview.refetch()
    },
  }
}

function wordsOf(before: ClearPreview, now: ClearPreview | undefined): string {
  return now === undefined
    ? 'The session moved on. Nothing was cleared.'
    : describeMoved(before, now)
}
