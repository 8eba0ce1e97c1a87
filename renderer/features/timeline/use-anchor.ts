import { useCallback, useLayoutEffect, useRef } from 'react'

import type { BigScroll } from '../../ui/use-big-scroll.ts'
import { anchorIndexOf, rowAt, rowOfIndex } from './timeline-rows.ts'
import type { TimelineRows } from './timeline-rows.ts'

/**
 * Keeps what is being read where it is: when lines appear above it or a range collapses, the list moves
 * by as much. At the very top it stays at the top, unless `isReading` says that lines there are being read;
 * the returned function overrules that once.
 */
export function useAnchor(
  rows: TimelineRows,
  scroll: BigScroll,
  at: {
    readonly rowHeight: number
    readonly isReading: boolean
  },
): () => void {
  const { rowHeight, isReading } = at
  const wantsTop = useRef(false)
  const before = useRef(rows)
  const { position, scrollTo } = scroll
  useLayoutEffect(() => {
    const old = before.current
    before.current = rows
    if (old === rows) return
    const staysAtTop = position < 1 && (wantsTop.current || !isReading)
    wantsTop.current = false
    if (staysAtTop) return
    const shift = shiftOf(old, rows, Math.ceil(position / rowHeight))
    if (shift !== 0) scrollTo(position + shift * rowHeight)
  }, [rows, position, scrollTo, rowHeight, isReading])
  return useCallback(() => {
    wantsTop.current = true
  }, [])
}

/** By how many rows the first line at or below `row` that is an event or a gap has moved. */
function shiftOf(old: TimelineRows, rows: TimelineRows, row: number): number {
  for (let at = row; at < old.count; at += 1) {
    const line = rowAt(old, at)
    const index = line === undefined ? null : anchorIndexOf(line)
    if (index !== null) return (rowOfIndex(rows, index) ?? at) - at
  }
  return 0
}
