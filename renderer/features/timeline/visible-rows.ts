import type { BigScroll } from '../../ui/use-big-scroll.ts'
import { rowAt } from './timeline-rows.ts'
import type { TimelineRow, TimelineRows } from './timeline-rows.ts'
import { blockOf } from './block-of.ts'

export const ROW_HEIGHT = 30
const OVERSCAN = 4

export interface VisibleLine {
  readonly row: number
  readonly line: TimelineRow
}

export interface VisibleRows {
  readonly first: number
  readonly lines: readonly VisibleLine[]
  /** The blocks that hold the events in view. */
  readonly blocks: readonly number[]
  readonly has: (row: number | null) => boolean
}

/** The lines in view and a few around them, always as many, if there are so many. */
export function visibleRows(
  rows: TimelineRows,
  { position, viewport }: Pick<BigScroll, 'position' | 'viewport'>,
): VisibleRows {
  const drawn = Math.ceil(viewport / ROW_HEIGHT) + 1 + 2 * OVERSCAN
  const first = Math.max(0, Math.floor(position / ROW_HEIGHT) - OVERSCAN)
  const last = Math.min(rows.count, first + drawn) - 1
  const lines: VisibleLine[] = []
  const blocks = new Set<number>()
  for (let row = first; row <= last; row += 1) {
    const line = rowAt(rows, row)
    if (line === undefined) continue
    lines.push({ row, line })
    if (line.kind === 'event') blocks.add(blockOf(line.index))
  }
  return {
    first,
    lines,
    blocks: [...blocks],
    has: (row) => row !== null && row >= first && row <= last,
  }
}
