import type { KeyboardEvent } from 'react'

import type { TimelineCursor } from './use-timeline-cursor.ts'

/** The keys of the grid. */
export function useTimelineKeys(cursor: TimelineCursor): (event: KeyboardEvent) => void {
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => cursor.move(1),
    ArrowUp: () => cursor.move(-1),
    PageDown: () => cursor.move(cursor.page),
    PageUp: () => cursor.move(-cursor.page),
    Home: cursor.goTop,
    End: cursor.goEnd,
    Enter: cursor.openCurrent,
    ' ': cursor.openCurrent,
    Escape: cursor.close,
  }
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    // A button inside a row has Enter and Space for itself.
    if (event.target !== event.currentTarget && (event.key === 'Enter' || event.key === ' ')) return
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
    if (action === undefined) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }
}
