import { useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef } from 'react'

import type { DeadLetter, DeadLetterView } from '../../../src/model/dead-letter.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isNotFound } from '../../api/errors.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useRefreeze } from '../../api/use-refreeze.ts'
import { useAttention } from '../../lib/use-attention.ts'
import { useCursorFollows } from '../../lib/use-cursor-follows.ts'
import { useFirstKeys } from '../../lib/use-first-keys.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { positionOf } from '../../lib/position-of.ts'
import { PAGE_ROWS, usePages } from '../../lib/use-pages.ts'
import { useWantedRow } from '../../lib/use-wanted-row.ts'
import { useSetDeadSearch } from '../../routes/use-search.ts'
import { Icon } from '../../ui/icons.tsx'
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
  // oxlint-disable-next-line react/incompatible-library -- no React Compiler is in use
  const rows = useVirtualizer({
    count: view.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const items = rows.getVirtualItems()
  const { rowAt, error, refetch } = useVisibleRows(
    frozen,
    view,
    items[0]?.index ?? 0,
    items.at(-1)?.index ?? 0,
  )
  const { s: sessionId, event: selected } = useSearch({ from: '/d/$databaseId/dead' })
  const isSelected = (row: DeadLetter | undefined) =>
    row !== undefined && row.sessionId === sessionId && row.index === selected
  const want = useWant(rowAt)
  const keys = useListKeys({
    total: view.total,
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_PX) - 1),
    onMove: (position) => rows.scrollToIndex(position),
    onRest: (position) => want(position, true),
    onEnter: (position) => want(position, false),
  })
  useCursorFollows({
    ...keys,
    viewId: view.viewId,
    find: () => items.find(({ index }) => isSelected(rowAt(index)))?.index ?? null,
  })
  const { isOld, isAway, pointing, scrolling, refreeze } = useFresh(
    frozen,
    error,
    scroller,
    keys.lastKeyAt,
  )
  const redrive = useRedrive()
  useHotkeys(
    sessionId === undefined || selected === undefined
      ? {}
      : {
          r: () => redrive.retry(sessionId, selected),
          s: () => redrive.askSkip(sessionId, selected),
        },
  )
  const gridId = useId()
  const grid = useRef<HTMLDivElement>(null)
  useFirstKeys(grid)
  return (
    <div className="list-frame" {...pointing}>
      {isOld && !isAway && (
        <button className="list-pill" onClick={() => void refreeze()} type="button">
          <Icon name="refresh" size={12} />
          Refresh list
        </button>
      )}
      {error !== null && !isNotFound(error) && <ErrorState error={error} onRetry={refetch} />}
      <div
        aria-activedescendant={keys.active === null ? undefined : `${gridId}-${keys.active}`}
        aria-label="Dead letters"
        aria-rowcount={view.total + 1}
        className="list-frame dead-grid"
        onClick={(event) => {
          const position = positionOf(event.target)
          if (position === null) return
          keys.setActive(position)
          want(position, false)
        }}
        onKeyDown={keys.onKeyDown}
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
          {...scrolling}
        >
          <div className="list-space" role="presentation" style={{ height: rows.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = rowAt(index)
              return (
                <div
                  aria-rowindex={index + 2}
                  aria-selected={isSelected(row)}
                  className="dead-row"
                  data-active={index === keys.active}
                  id={`${gridId}-${index}`}
                  key={index}
                  data-position={index}
                  role="row"
                  style={{ transform: `translateY(${start}px)` }}
                  tabIndex={-1}
                >
                  {row === undefined ? (
                    <DeadSkeleton position={index} />
                  ) : (
                    <DeadCells letter={row} />
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {redrive.dialogs}
    </div>
  )
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

function useWant(rowAt: (position: number) => DeadLetter | undefined) {
  const setSearch = useSetDeadSearch()
  return useWantedRow(rowAt, (row: DeadLetter, replace: boolean) =>
    setSearch({ s: row.sessionId, event: row.index }, { replace }),
  )
}

function useVisibleRows(
  frozen: DeadRowsProps['frozen'],
  view: DeadLetterView,
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
      queries.deadLetters.rows.queryOptions({
        input: { viewId: view.viewId, offset, limit: PAGE_ROWS },
      }),
  })
}

/** The list stays as it was while a row is selected: the person acts on what they saw. */
function useFresh(
  { view }: DeadRowsProps['frozen'],
  error: unknown,
  scroller: { readonly current: HTMLDivElement | null },
  lastKeyAt: number,
) {
  const { event, q } = useSearch({ from: '/d/$databaseId/dead' })
  const dead = useLiveValue((state) => state.counts?.deadLetters ?? null)
  const { isAway: isUnattended, pointing, scrolling } = useAttention(scroller, lastKeyAt)
  const isAway = isUnattended && event === undefined
  const refreeze = view.refetch
  const isCommitted = useRefreeze({
    isAway,
    isComplete: view.data?.isComplete === true,
    isSteady: false,
    frozenAt: view.dataUpdatedAt,
    refreeze,
  })
  useEffect(() => {
    if (isNotFound(error)) void refreeze()
  }, [error, refreeze])
  const isOld = isCommitted && (q !== '' || dead !== view.data?.total)
  return { isOld, isAway, pointing, scrolling, refreeze }
}
