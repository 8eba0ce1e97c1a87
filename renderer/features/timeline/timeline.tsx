import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { SessionDetail } from '../../../src/model/session.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useFirstKeys } from '../../lib/use-first-keys.ts'
import { useIsHeldStill } from '../../state/holds.ts'
import { ErrorState } from '../../ui/states.tsx'
import { useBigScroll } from '../../ui/use-big-scroll.ts'
import { useReadAgain } from '../actions/outcome.ts'
import { GoToIndex } from './go-to-index.tsx'
import { NewEventsPill } from './new-events-pill.tsx'
import { RowKeys } from './row-keys.ts'
import { toTimelineRows } from './timeline-rows.ts'
import { StickyHeader, TimelineLine } from './timeline-line.tsx'
import './timeline.css'
import { useAnchor } from './use-anchor.ts'
import { useEventBlocks, useReadNew } from './use-event-blocks.ts'
import { useHeardHead } from './use-heard-head.ts'
import { useShownHead } from './use-shown-head.ts'
import { useTimelineCursor } from './use-timeline-cursor.ts'
import { useTimelineKeys } from './use-timeline-keys.ts'
import { ROW_HEIGHT, visibleRows } from './visible-rows.ts'

declare module 'react' {
  interface CSSProperties {
    /** Digits of the longest index in the list. */
    '--index-digits'?: number
  }
}

interface TimelineProps {
  readonly detail: SessionDetail
  /** The event whose details are open. */
  readonly selected: number | null
  /** `replace`: the step is not worth an entry of its own in the history. */
  readonly onSelect: (index: number | null, replace?: boolean) => void
}

/** All events of a session, newest first, as far back as they are stored. */
export function Timeline({ detail, selected, onSelect }: TimelineProps) {
  const { id: sessionId, head, clearIndex } = detail.summary
  const gridId = useId()
  const [isAtTop, setAtTop] = useState(true)
  const isStill = useIsHeldStill()
  const isPaused = useLiveValue((state) => state.isPaused)
  const isFollowing = isAtTop && selected === null && !isStill && !isPaused
  const read = useReadNew(sessionId)
  const { shownHead, show } = useShownHead({ head, clearIndex, isFollowing, read })
  const rows = useMemo(
    () => toTimelineRows(detail.lifetimes, shownHead),
    [detail.lifetimes, shownHead],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const scroll = useBigScroll(scroller, rows.count * ROW_HEIGHT)
  const atTop = scroll.position < ROW_HEIGHT
  if (atTop !== isAtTop) setAtTop(atTop)
  const keepTop = useAnchor(rows, scroll, { rowHeight: ROW_HEIGHT, isReading: selected !== null })
  const latest = Math.max(head, useHeardHead(sessionId))
  const readAgain = useReadAgain()
  const showLatest = () => {
    if (latest === shownHead) return
    keepTop()
    show(latest)
    // While the view is paused nothing is read by itself.
    if (latest > head) readAgain()
  }
  const cursor = useTimelineCursor({ rows, scroll, selected, onSelect, head, show, showLatest })
  const onKeyDown = useTimelineKeys(cursor)
  useFirstKeys(scroller)
  const visible = visibleRows(rows, scroll)
  const [rowKeys] = useState(() => new RowKeys())
  const keys = rowKeys.keysOf(visible.lines)
  useLayoutEffect(() => rowKeys.remember(visible.lines))
  const blocks = useEventBlocks(sessionId, visible.blocks)
  return (
    <div className="timeline">
      <NewEventsPill count={isFollowing ? 0 : latest - shownHead} onShow={cursor.showNew} />
      <GoToIndex head={head} onGo={cursor.open} />
      {blocks.error !== null && <ErrorState error={blocks.error} onRetry={blocks.retry} />}
      <div
        aria-activedescendant={visible.has(cursor.row) ? `${gridId}-${cursor.row}` : undefined}
        aria-label="Events, newest first"
        aria-rowcount={rows.count}
        className="timeline-scroll"
        onKeyDown={onKeyDown}
        ref={scroller}
        role="grid"
        tabIndex={0}
      >
        <div className="timeline-space" role="presentation" style={{ height: scroll.space }}>
          <div className="timeline-window" role="presentation" style={{ height: scroll.viewport }}>
            <div
              className="timeline-lines"
              role="rowgroup"
              style={{
                '--index-digits': String(head).length,
                transform: `translateY(${visible.first * ROW_HEIGHT - scroll.position}px)`,
              }}
            >
              {visible.lines.map(({ row, line }, place) => (
                <TimelineLine
                  blocks={blocks}
                  id={`${gridId}-${row}`}
                  isActive={row === cursor.row}
                  key={keys[place]}
                  line={line}
                  onOpen={cursor.open}
                  row={row}
                  selected={selected}
                  top={(row - visible.first) * ROW_HEIGHT}
                />
              ))}
            </div>
            <StickyHeader position={scroll.position} rows={rows} />
          </div>
        </div>
      </div>
    </div>
  )
}
