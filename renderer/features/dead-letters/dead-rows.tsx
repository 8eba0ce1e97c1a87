import { useSearch } from '@tanstack/react-router'
import { useId, useRef } from 'react'
import type { RefObject } from 'react'

import type { DeadLetter, DeadLetterView } from '../../../src/model/dead-letter.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useFirstKeys } from '../../lib/use-first-keys.ts'
import { useFrozenRows } from '../../lib/use-frozen-rows.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { PAGE_ROWS } from '../../lib/page-rows.ts'
import { useSetDeadSearch } from '../../routes/use-search.ts'
import { RefreshPill } from '../../ui/refresh-pill.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { useRedrive } from '../actions/use-redrive.tsx'
import { DeadCells, DeadSkeleton } from './dead-row.tsx'
import type { useDeadView } from './use-dead-view.ts'

const ROW_PX = 30
const COLUMNS = [
  'State',
  'Session',
  'Event',
  'Type',
  'Lane · waiting',
  'Last error',
  'Fails',
  'Age',
]

interface DeadRowsProps {
  readonly frozen: ReturnType<typeof useDeadView>
  readonly view: DeadLetterView
}

export function DeadRows({ frozen, view }: DeadRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useDeadRows(frozen, view, scroller)
  const redrive = useRedriveKeys()
  const gridId = useId()
  const grid = useRef<HTMLDivElement>(null)
  useFirstKeys(grid)
  return (
    <div className="list-frame" {...rows.pointing}>
      {rows.isOld && <RefreshPill onPress={() => void rows.refreeze()}>Refresh list</RefreshPill>}
      {rows.error !== null && !isNotFound(rows.error) && (
        <ErrorState error={rows.error} onRetry={rows.refetch} />
      )}
      <div
        aria-activedescendant={rows.active === null ? undefined : `${gridId}-${rows.active}`}
        aria-label="Dead letters"
        aria-rowcount={view.total + 1}
        className="list-frame dead-grid"
        onClick={rows.onClick}
        onKeyDown={rows.onKeyDown}
        ref={grid}
        role="grid"
        tabIndex={0}
      >
        <HeadRow />
        <div
          className="list-scroll"
          data-stale={frozen.view.isPlaceholderData}
          ref={scroller}
          role="rowgroup"
          {...rows.scrolling}
        >
          <div className="list-space" role="presentation" style={{ height: rows.totalPx }}>
            {rows.items.map(({ index, start }) => (
              <div
                aria-rowindex={index + 2}
                aria-selected={rows.isSelectedAt(index)}
                className="dead-row"
                data-active={index === rows.active}
                data-position={index}
                id={`${gridId}-${index}`}
                key={index}
                role="row"
                style={{ transform: `translateY(${start}px)` }}
                tabIndex={-1}
              >
                <RowCells letter={rows.rowAt(index)} position={index} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {redrive.dialogs}
    </div>
  )
}

function RowCells({
  letter,
  position,
}: {
  readonly letter: DeadLetter | undefined
  readonly position: number
}) {
  return letter === undefined ? <DeadSkeleton position={position} /> : <DeadCells letter={letter} />
}

function HeadRow() {
  return (
    <div role="rowgroup">
      <div aria-rowindex={1} className="dead-row dead-head" role="row">
        {COLUMNS.map((name) => (
          <span className={classOf(name)} key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}

function classOf(column: string): string {
  if (column === 'Fails') return 'end dead-failures'
  if (column === 'Age') return 'end'
  if (column === 'Lane · waiting') return 'cut dead-lane'
  if (column === 'Type') return 'cut dead-type'
  return column === 'Last error' ? 'cut dead-error' : 'cut'
}

/** R and S act on the chosen dead letter. */
function useRedriveKeys() {
  const { s: sessionId, event } = useSearch({ from: '/d/$databaseId/dead' })
  const redrive = useRedrive()
  useHotkeys(
    sessionId === undefined || event === undefined
      ? {}
      : {
          r: () => redrive.retry(sessionId, event),
          s: () => redrive.askSkip(sessionId, event),
        },
  )
  return redrive
}

/** The list stays as it was while a row is selected: the person acts on what they saw. */
function useDeadRows(
  frozen: DeadRowsProps['frozen'],
  view: DeadLetterView,
  scroller: RefObject<HTMLElement | null>,
) {
  const { queries } = useDatabase()
  const { s: sessionId, event, q } = useSearch({ from: '/d/$databaseId/dead' })
  const setSearch = useSetDeadSearch()
  const dead = useLiveValue((state) => state.counts?.deadLetters ?? null)
  const rows = useFrozenRows<DeadLetter>({
    frozen,
    view,
    scroller,
    rowPx: ROW_PX,
    overscan: 8,
    query: (offset) =>
      queries.deadLetters.rows.queryOptions({
        input: { viewId: view.viewId, offset, limit: PAGE_ROWS },
      }),
    isSelected: (row) => row.sessionId === sessionId && row.index === event,
    open: (row, replace) => setSearch({ s: row.sessionId, event: row.index }, { replace }),
    isComplete: view.isComplete,
    isSteady: false,
    isHeld: event !== undefined,
  })
  return { ...rows, isOld: rows.isOld && (q !== '' || dead !== view.total) }
}
