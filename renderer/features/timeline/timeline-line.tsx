import { EventLine } from './event-line.tsx'
import { GoneLine, LifetimeHeader, MarkerLine } from './lifetime-lines.tsx'
import { headerRowOf, rowAt } from './timeline-rows.ts'
import type { TimelineRow, TimelineRows } from './timeline-rows.ts'
import type { EventBlocks } from './use-event-blocks.ts'
import { ROW_HEIGHT } from './visible-rows.ts'

interface TimelineLineProps {
  readonly row: number
  readonly line: TimelineRow
  /** Pixels from the top of the drawn lines. */
  readonly top: number
  readonly id: string
  readonly isActive: boolean
  readonly selected: number | null
  readonly blocks: EventBlocks
  readonly onOpen: (index: number) => void
}

/** One row of the grid. */
export function TimelineLine(props: TimelineLineProps) {
  const { row, line, top, id, isActive, selected, onOpen } = props
  const index = line.kind === 'event' || line.kind === 'marker' ? line.index : null
  return (
    // The focus stays on the grid, which has the keys: a row can scroll away under a focus of its own.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      aria-rowindex={row + 1}
      aria-selected={index === null ? undefined : index === selected}
      className="timeline-row"
      data-active={isActive}
      data-kind={line.kind}
      data-selected={index !== null && index === selected}
      id={id}
      onClick={index === null ? undefined : () => onOpen(index)}
      role="row"
      style={{ transform: `translateY(${top}px)` }}
    >
      <Cells {...props} />
    </div>
  )
}

function Cells({ line, blocks, onOpen }: TimelineLineProps) {
  switch (line.kind) {
    case 'lifetime':
      return <LifetimeHeader lifetime={line.lifetime} />
    case 'gone':
      return <GoneLine from={line.from} to={line.to} />
    case 'marker':
      return <MarkerLine at={line.lifetime.startedAt} index={line.index} />
    case 'event':
    default:
      return (
        <EventLine
          event={blocks.find(line.index)}
          index={line.index}
          isCleared={line.lifetime.status !== 'current'}
          onOpen={onOpen}
        />
      )
  }
}

/** The header of the lifetime at the top of the view, pushed out by the next one. */
export function StickyHeader({
  rows,
  position,
}: {
  readonly rows: TimelineRows
  readonly position: number
}) {
  const first = Math.floor(position / ROW_HEIGHT)
  const header = headerRowOf(rows, first)
  const line = header === null ? undefined : rowAt(rows, header)
  if (line?.kind !== 'lifetime' || position <= 0) return null
  const isNextHeader = rowAt(rows, first + 1)?.kind === 'lifetime'
  const push = isNextHeader ? position - first * ROW_HEIGHT : 0
  return (
    <div aria-hidden="true" className="timeline-sticky" style={{ top: -push }}>
      <LifetimeHeader lifetime={line.lifetime} />
    </div>
  )
}
