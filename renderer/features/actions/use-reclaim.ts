import { useEffect, useRef, useState } from 'react'

import type { ReclaimProgress } from '../../../src/model/action.ts'
import { useDatabase } from '../../api/database-context.ts'
import { plural } from '../../lib/format.ts'
import type { TypedId } from './use-typed-id.tsx'
import { describeWriteError, useReadAgain } from './outcome.ts'

export interface Reclaiming {
  readonly start: (clearIndex: number, confirmation: TypedId['confirmation']) => void
  /** Ends it after the batch that is running; how much was deleted is then known. */
  readonly stop: () => void
  readonly isRunning: boolean
  readonly isStopping: boolean
  /** null until started. */
  readonly progress: ReclaimProgress | null
  readonly failure: string | null
}

/** Deletes the cleared events of a session batch by batch; leaving the screen stops it. */
export function useReclaim(sessionId: string): Reclaiming {
  const { client } = useDatabase()
  const readAgain = useReadAgain()
  const [progress, setProgress] = useState<ReclaimProgress | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isStopping, setStopping] = useState(false)
  const isWanted = useRef(false)
  useEffect(
    () => () => {
      isWanted.current = false
    },
    [],
  )
  const run = async (clearIndex: number, confirmation: TypedId['confirmation']) => {
    isWanted.current = true
    let last: ReclaimProgress = { deleted: 0, total: null, status: 'running', detail: null }
    setProgress(last)
    try {
      for await (const next of await client.actions.reclaim({
        sessionId,
        clearIndex,
        ...confirmation,
      })) {
        last = next
        setProgress(last)
        if (!isWanted.current) break
      }
      if (last.status === 'running') setProgress(stopped(last))
    } catch (error) {
      setProgress({
        ...last,
        status: 'failed',
        detail: `${plural(last.deleted, 'event')} deleted so far.`,
      })
      setFailure(describeWriteError(error))
    }
    readAgain()
  }
  return {
    start: (clearIndex, confirmation) => void run(clearIndex, confirmation),
    stop: () => {
      setStopping(true)
      // Unasked, it would run on ahead of its messages: only its last one knows the number.
      client.actions.stopReclaim({ sessionId }).catch(() => {
        isWanted.current = false
      })
    },
    isRunning: progress?.status === 'running',
    isStopping,
    progress,
    failure,
  }
}

function stopped(last: ReclaimProgress): ReclaimProgress {
  const detail = `Stopped. At least ${plural(last.deleted, 'cleared event')} deleted; the audit log holds the number.`
  return { ...last, status: 'stopped', detail }
}
