import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef } from 'react'

import type { SessionSummary, SessionView } from '../../../src/model/session.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useRefreeze } from '../../api/use-refreeze.ts'
import { useAttention } from '../../lib/use-attention.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { positionOf } from '../../lib/position-of.ts'
import { PAGE_ROWS, usePages } from '../../lib/use-pages.ts'
import { useWantedRow } from '../../lib/use-wanted-row.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { Icon } from '../../ui/icons.tsx'
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
  // oxlint-disable-next-line react/incompatible-library -- no React Compiler is in use
  const rows = useVirtualizer({
    count: view.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  })
  const items = rows.getVirtualItems()
  const { rowAt, error, refetch } = useVisibleRows(
    frozen,
    view,
    items[0]?.index ?? 0,
    items.at(-1)?.index ?? 0,
  )
  const refreeze = frozen.view.refetch
  useEffect(() => {
    if (isNotFound(error)) void refreeze()
  }, [error, refreeze])

  const { s: selectedId } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  const want = useWantedRow(rowAt, (row: SessionSummary | null, replace: boolean) => {
    if (row !== null && row.id !== selectedId)
      setSearch({ s: row.id, event: undefined }, { replace })
  })
  const keys = useListKeys({
    total: view.total,
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_PX) - 1),
    onMove: (position) => rows.scrollToIndex(position),
    onRest: (position) => want(position, true),
    onEnter: (position) => {
      want(position, false)
      document.getElementById('session-main')?.focus()
    },
  })
  const { isAway, attention } = useAttention(scroller, keys.lastKeyAt)
  const isOld = useRefreeze({ isAway, frozenAt: frozen.view.dataUpdatedAt, refreeze })
  const listId = useId()
  const optionId = (position: number): string => `${listId}-${position}`
  return (
    <div className="list-frame">
      {isOld && !isAway && (
        <button className="list-pill" onClick={() => void refreeze()} type="button">
          <Icon name="refresh" size={12} />
          Refresh order
        </button>
      )}
      {error !== null && !isNotFound(error) && <ErrorState error={error} onRetry={refetch} />}
      <div
        aria-activedescendant={keys.active === null ? undefined : optionId(keys.active)}
        aria-label="Sessions"
        className="list-scroll"
        data-stale={frozen.view.isPlaceholderData}
        onClick={(event) => {
          const position = positionOf(event.target)
          if (position === null) return
          keys.setActive(position)
          want(position, false)
        }}
        onKeyDown={keys.onKeyDown}
        ref={scroller}
        role="listbox"
        tabIndex={0}
        {...attention}
      >
        <div className="list-space" role="presentation" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rowAt(index)
            return (
              <div
                aria-label={row === undefined || row === null ? undefined : labelOf(row)}
                aria-posinset={index + 1}
                aria-selected={row !== undefined && row !== null && row.id === selectedId}
                aria-setsize={view.total}
                className="session-row"
                data-active={index === keys.active}
                data-gone={row === null}
                id={optionId(index)}
                key={index}
                data-position={index}
                role="option"
                style={{ transform: `translateY(${start}px)` }}
                tabIndex={-1}
              >
                {row === undefined && <SessionSkeleton position={index} />}
                {row === null && <span>no longer stored</span>}
                {row !== undefined && row !== null && <SessionSummaryLines summary={row} />}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function useVisibleRows(
  frozen: SessionRowsProps['frozen'],
  view: SessionView,
  first: number,
  last: number,
) {
  const { queries } = useDatabase()
  const { setFirstVisible } = frozen
  useEffect(() => setFirstVisible(first), [setFirstVisible, first])
  return usePages({
    listKey: frozen.listKey,
    total: view.total,
    first,
    last,
    query: (offset) =>
      queries.sessions.rows.queryOptions({
        input: { viewId: view.viewId, offset, limit: PAGE_ROWS },
      }),
  })
}
