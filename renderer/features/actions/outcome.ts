import { ORPCError } from '@orpc/client'
import { useCallback } from 'react'

import type { ActionOutcome } from '../../../src/model/action.ts'
import type { TroubleKind } from '../../../src/model/database.ts'
import { useDatabase } from '../../api/database-context.ts'
import { describeError, isWritingLocked, troubleOf } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import type { Toast } from '../../ui/toast-list.ts'
import { showToast } from '../../ui/toasts.tsx'

/** With these the server may have committed before it was lost: the host looked it up and could not find out. */
const UNKNOWN = new Set<TroubleKind | undefined>([
  'connection-lost',
  'timeout',
  'server-shutting-down',
  'unreachable',
])

const TONES = { done: 'good', 'already-done': 'normal', refused: 'warning' } as const

/** What an action was done to: a session, or one event of it. */
export interface ActedOn {
  readonly databaseId: string
  readonly sessionId: string
  readonly index?: number | undefined
}

/** Says what became of an action, in its own words; what was said of the same thing before no longer holds. */
export function showOutcome(on: ActedOn, outcome: ActionOutcome): void {
  say(on, TONES[outcome.outcome], outcome.detail)
}

/** Says why an action failed. */
export function showFailure(on: ActedOn, error: unknown): void {
  say(on, isWritingLocked(error) ? 'warning' : 'bad', describeWriteError(error))
}

function say({ databaseId, sessionId, index }: ActedOn, tone: Toast['tone'], text: string): void {
  const about = JSON.stringify([databaseId, sessionId, index ?? null])
  showToast({ tone, sessionId, text, about })
}

/**
 * Why a write failed, in one or two sentences. A lost connection leaves open whether it was done, and
 * that is what is said: it is looked up, never repeated by itself.
 */
export function describeWriteError(error: unknown): string {
  if (!(error instanceof ORPCError)) {
    return 'The connection was lost before an answer came. It may or may not have been done: look at what is stored before you try again.'
  }
  if (UNKNOWN.has(troubleOf(error)?.kind)) {
    return 'Unknown whether it was done: the connection was lost before an answer came, and it could not be looked up. Once the connection is back, look at what is stored before you try again; it is not repeated by itself.'
  }
  const { title, detail } = describeError(error)
  return `${title}. ${detail}`
}

/** Has the screen read again after a write of ours, even while the live view is paused. */
export function useReadAgain(): () => void {
  const { live, databaseId } = useDatabase()
  return useCallback(() => {
    live.refresh()
    void queryClient.invalidateQueries({
      queryKey: [['db', databaseId]],
      predicate: (query) => query.meta?.['isReadOnce'] !== true,
    })
  }, [live, databaseId])
}
