import { useEffect, useRef, useState } from 'react'

import { useLiveValue } from './use-live.ts'

const REFREEZE_MS = 1_000

interface RefreezeInput {
  /** Whether it was frozen from all there is; what was half counted is old as soon as more is known. */
  readonly isComplete: boolean
  /** Whether more counting cannot move a row: then what is known better is shown at once. */
  readonly isSteady: boolean
  /** When the order on screen was frozen, epoch ms; 0: not yet. */
  readonly frozenAt: number
  /** True while the person is not in the middle of the list. */
  readonly isAway: boolean
  readonly refreeze: () => Promise<unknown>
}

/**
 * Brings a frozen order up to date by itself, at most once a second, while the person is away from the
 * list. Returns whether something was committed, or is known better, since the order was frozen.
 */
export function useRefreeze({
  frozenAt,
  isAway,
  isComplete,
  isSteady,
  refreeze,
}: RefreezeInput): boolean {
  const revision = useLiveValue((state) => state.revision)
  const commits = useLiveValue((state) => state.commits)
  const isPaused = useLiveValue((state) => state.isPaused)
  const [frozen, setFrozen] = useState({ at: frozenAt, revision, commits })
  if (frozen.at !== frozenAt) setFrozen({ at: frozenAt, revision, commits })
  const isOld = frozenAt > 0 && revision !== frozen.revision
  const mayMove = !isPaused && (isAway || (isSteady && commits === frozen.commits))
  const latest = useRef(refreeze)
  useEffect(() => {
    latest.current = refreeze
  })
  useEffect(() => {
    if (!isOld || !mayMove) return undefined
    const delay = Math.max(0, frozenAt + REFREEZE_MS - Date.now())
    const timer = setTimeout(() => void latest.current(), delay)
    return () => clearTimeout(timer)
  }, [isOld, mayMove, frozenAt])
  return isOld && (commits !== frozen.commits || (!isComplete && !isSteady))
}

/** An empty list has no place to keep: it follows every commit, and what is still being counted. */
export function useRefreezeEmpty(
  input: Pick<RefreezeInput, 'frozenAt' | 'isComplete' | 'refreeze'>,
): void {
  const { frozenAt, isComplete, refreeze } = input
  useRefreeze({ ...input, isAway: true, isSteady: false })
  useEffect(() => {
    if (isComplete) return undefined
    // The counting may have ended between the answer and its arrival: then no news follows.
    const delay = Math.max(0, frozenAt + REFREEZE_MS - Date.now())
    const timer = setTimeout(() => void refreeze(), delay)
    return () => clearTimeout(timer)
  }, [frozenAt, isComplete, refreeze])
}
