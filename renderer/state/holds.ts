import { useEffect, useSyncExternalStore } from 'react'

/** How many open dialogs ask the live view to stand still. */
let holds = 0
const listeners = new Set<() => void>()

function change(by: number): void {
  holds += by
  for (const listener of listeners) listener()
}

/** Keeps the live view still until the returned function is called. */
function holdStill(): () => void {
  change(1)
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    change(-1)
  }
}

export function isHeldStill(): boolean {
  return holds > 0
}

export function subscribeHolds(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useIsHeldStill(): boolean {
  return useSyncExternalStore(subscribeHolds, isHeldStill)
}

/** Holds the live view still while `isHolding`. */
export function useHoldStill(isHolding: boolean): void {
  useEffect(() => (isHolding ? holdStill() : undefined), [isHolding])
}
