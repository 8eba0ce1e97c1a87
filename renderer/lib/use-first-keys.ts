import { useEffect } from 'react'
import type { RefObject } from 'react'

import { isHeldStill } from '../state/holds.ts'

const KEYS = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'])

/** Has a list take the focus and a key with it. */
export function handKeyTo(list: HTMLElement, key: string): void {
  list.focus()
  list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

/**
 * Moving keys go to the screen's list while nothing else has the focus, so that a screen just opened can be
 * worked with at once. Only one list at a time should ask for them.
 */
export function useFirstKeys(list: RefObject<HTMLElement | null>, isFirst = true): void {
  useEffect(() => {
    if (!isFirst) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (!KEYS.has(event.key) || isHeldStill() || !isNowhere(document.activeElement)) return
      if (list.current === null) return
      event.preventDefault()
      handKeyTo(list.current, event.key)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [list, isFirst])
}

function isNowhere(element: Element | null): boolean {
  return element === null || element === document.body || element.id === 'session-main'
}
