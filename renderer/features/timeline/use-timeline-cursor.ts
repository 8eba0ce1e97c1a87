import { useCallback, useEffect, useRef, useState } from 'react'

import type { BigScroll } from '../../ui/use-big-scroll.ts'
import { rowOfIndex, selectableFrom } from './timeline-rows.ts'
import type { TimelineRows } from './timeline-rows.ts'
import { ROW_HEIGHT } from './visible-rows.ts'

interface CursorInput {
  readonly rows: TimelineRows
  readonly scroll: BigScroll
  readonly selected: number | null
  readonly onSelect: (index: number | null, replace?: boolean) => void
  readonly head: number
  /** Draws the list up to this head. */
  readonly show: (head: number) => void
  /** Draws all there is, and stays at the top while that comes in. */
  readonly showLatest: () => void
}

export interface TimelineCursor {
  /** The row the keyboard is at; null before it was used. */
  readonly row: number | null
  /** Rows in view. */
  readonly page: number
  /** Moves by some rows, or to an end; with details open they follow. */
  readonly move: (by: number) => void
  /** Shows what came meanwhile, from the top. */
  readonly showNew: () => void
  readonly goTop: () => void
  readonly goEnd: () => void
  /** Opens the details of an index and brings it into view. */
  readonly open: (index: number) => void
  readonly openCurrent: () => void
  readonly close: () => void
}

/** The keyboard's place in the timeline. It is an event, not a row: rows move. */
export function useTimelineCursor(input: CursorInput): TimelineCursor {
  const { rows, scroll, selected, onSelect, head, showLatest } = input
  const [index, setIndex] = useState<number | null>(selected)
  const at = index === null ? null : rowOfIndex(rows, index)
  const bringIntoView = useBringIntoView(scroll)
  useFollowSelection({ ...input, setIndex, bringIntoView })

  const open = useCallback(
    (target: number) => {
      setIndex(target)
      onSelect(target)
    },
    [onSelect],
  )
  const goTo = (target: { readonly row: number; readonly index: number } | null) => {
    if (target === null) return
    setIndex(target.index)
    bringIntoView(target.row)
    if (selected !== null) onSelect(target.index, true)
  }
  const move = (by: number) => {
    const from = at ?? (by > 0 ? -1 : 0)
    const wanted = Math.max(0, Math.min(rows.count - 1, from + by))
    const direction = by > 0 ? 1 : -1
    goTo(
      selectableFrom(rows, wanted, direction) ??
        selectableFrom(rows, wanted, direction === 1 ? -1 : 1),
    )
  }
  return {
    row: at,
    page: Math.max(1, Math.floor(scroll.viewport / ROW_HEIGHT) - 2),
    move,
    showNew: () => {
      showLatest()
      scroll.scrollTo(0)
    },
    goTop: () => {
      showLatest()
      scroll.scrollTo(0)
      setIndex(head)
      if (selected !== null) onSelect(head, true)
    },
    goEnd: () => goTo(selectableFrom(rows, rows.count - 1, -1)),
    open,
    openCurrent: () => {
      if (index !== null) onSelect(index)
    },
    close: () => onSelect(null),
  }
}

/** Scrolls as little as needed; what is far away comes to the middle. */
function useBringIntoView({ position, viewport, scrollTo }: BigScroll): (row: number) => void {
  return useCallback(
    (row) => {
      const top = row * ROW_HEIGHT
      // The header of the lifetime lies over the first row.
      const above = position + ROW_HEIGHT - top
      const below = top + ROW_HEIGHT - (position + viewport)
      if (above > viewport || below > viewport) scrollTo(top - viewport / 2)
      else if (above > 0) scrollTo(position - above)
      else if (below > 0) scrollTo(position + below)
    },
    [position, viewport, scrollTo],
  )
}

/** Brings an event that was selected elsewhere (address, details, palette) into view, once. */
function useFollowSelection({
  rows,
  scroll,
  selected,
  head,
  show,
  setIndex,
  bringIntoView,
}: CursorInput & {
  readonly setIndex: (index: number) => void
  readonly bringIntoView: (row: number) => void
}): void {
  const followed = useRef<number | null>(null)
  const { viewport } = scroll
  useEffect(() => {
    if (selected === null) followed.current = null
    if (selected === null || selected === followed.current || viewport === 0) return
    if (selected > rows.shownHead && selected <= head) return show(head)
    const row = rowOfIndex(rows, selected)
    followed.current = selected
    setIndex(selected)
    if (row !== null) bringIntoView(row)
  }, [selected, viewport, rows, head, show, setIndex, bringIntoView])
}
