import { useId, useRef } from 'react'
import type { RefObject } from 'react'

import type { SessionSummary, SessionView } from '../../../src/model/session.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useFirstKeys } from '../../lib/use-first-keys.ts'
import { useFrozenRows } from '../../lib/use-frozen-rows.ts'
import { PAGE_ROWS } from '../../lib/page-rows.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { RefreshPill } from '../../ui/refresh-pill.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { labelOf, SessionSkeleton, SessionSummaryLines } from './session-row.tsx'
import type { useSessionView } from './use-session-view.ts'

const ROW_PX = 49

interface SessionRowsProps {
  readonly frozen: ReturnType<typeof useSessionView>
  readonly view: SessionView
}

/** The rows of a frozen order; only the visible ones exist. */
export function SessionRows({ frozen, view }: SessionRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { s: selectedId } = useSessionsSearch()
  const rows = useSessionRows(frozen, view, scroller)
  useFirstKeys(scroller, selectedId === undefined)
  const listId = useId()
  const optionId = (position: number): string => `${listId}-${position}`
  return (
    <div className="list-frame" {...rows.pointing}>
      {rows.isOld && <RefreshPill onPress={() => void rows.refreeze()}>Refresh order</RefreshPill>}
      {rows.error !== null && !isNotFound(rows.error) && (
        <ErrorState error={rows.error} onRetry={rows.refetch} />
      )}
      <div
        aria-activedescendant={rows.active === null ? undefined : optionId(rows.active)}
        aria-label="Sessions"
        className="list-scroll"
        data-stale={frozen.view.isPlaceholderData}
        onClick={rows.onClick}
        onKeyDown={rows.onKeyDown}
        ref={scroller}
        role="listbox"
        tabIndex={0}
        {...rows.scrolling}
      >
        <div className="list-space" role="presentation" style={{ height: rows.totalPx }}>
          {rows.items.map(({ index, start }) => (
            <div
              aria-posinset={index + 1}
              aria-selected={rows.isSelectedAt(index)}
              aria-setsize={view.total}
              className="session-row"
              data-active={index === rows.active}
              data-gone={rows.rowAt(index) === null}
              data-position={index}
              id={optionId(index)}
              key={index}
              role="option"
              style={{ transform: `translateY(${start}px)` }}
              tabIndex={-1}
            >
              <RowContent position={index} row={rows.rowAt(index)} />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function RowContent({
  row,
  position,
}: {
  /** null: not stored any more; undefined: on its way. */
  readonly row: SessionSummary | null | undefined
  readonly position: number
}) {
  if (row === undefined) return <SessionSkeleton position={position} />
  if (row === null) return <span>no longer stored</span>
  return (
    <>
      <span className="visually-hidden">{labelOf(row)}</span>
      <div aria-hidden="true" className="session-lines">
        <SessionSummaryLines summary={row} />
      </div>
    </>
  )
}

function useSessionRows(
  frozen: SessionRowsProps['frozen'],
  view: SessionView,
  scroller: RefObject<HTMLElement | null>,
) {
  const { queries } = useDatabase()
  const { s: selectedId, sort, chips } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  return useFrozenRows<SessionSummary | null>({
    frozen,
    view,
    scroller,
    rowPx: ROW_PX,
    overscan: 6,
    query: (offset) =>
      queries.sessions.rows.queryOptions({
        input: { viewId: view.viewId, offset, limit: PAGE_ROWS },
      }),
    isSelected: (row) => row !== null && row.id === selectedId,
    open: (row, replace) => {
      if (row !== null && row.id !== selectedId)
        setSearch({ s: row.id, event: undefined }, { replace })
    },
    onEnter: () => document.getElementById('session-main')?.focus(),
    isComplete: view.isListComplete && view.isWorkComplete,
    isSteady: view.isListComplete && chips.length === 0 && (sort === 'activity' || sort === 'id'),
    isHeld: false,
  })
}
