import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef } from 'react'

import type { SearchHit } from '../../../src/model/search.ts'
import { useDatabase } from '../../api/database-context.ts'
import { positionOf } from '../../lib/position-of.ts'
import { useCursorFollows } from '../../lib/use-cursor-follows.ts'
import { useFirstKeys } from '../../lib/use-first-keys.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { useWantedRow } from '../../lib/use-wanted-row.ts'
import type { FindSearch } from '../../routes/search.ts'
import { useOpenSession, useSetFindSearch } from '../../routes/use-search.ts'
import { HitCells } from './search-row.tsx'
import type { ShownSearch } from './use-search-run.ts'

const ROW_PX = 30
const COLUMNS = [
  { name: 'State', className: 'cut' },
  { name: 'Session', className: 'cut' },
  { name: 'Event', className: 'cut' },
  { name: 'Type', className: 'cut search-type' },
  { name: 'Found', className: 'cut' },
  { name: 'Age', className: 'end' },
]

interface SearchRowsProps {
  readonly run: ShownSearch
  readonly search: FindSearch
}

/** What was found; more is only ever added at the end, so that nothing moves. */
export function SearchRows({ run, search }: SearchRowsProps) {
  const { shown: hits, isStale } = run
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- no React Compiler is in use
  const rows = useVirtualizer({
    count: hits.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const items = rows.getVirtualItems()
  const isSelected = (hit: SearchHit | undefined) =>
    hit !== undefined && hit.sessionId === search.s && hit.index === search.event
  const { want, openInSession } = useHitActions(hits, isStale)
  const keys = useListKeys({
    total: hits.length,
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_PX) - 1),
    onMove: (position) => rows.scrollToIndex(position),
    onRest: (position) => want(position, true),
    onEnter: openInSession,
  })
  useCursorFollows({
    ...keys,
    viewId: run.viewId,
    find: () => items.find(({ index }) => isSelected(hits[index]))?.index ?? null,
  })
  useComingBack(hits.findIndex(isSelected), (position) =>
    rows.scrollToIndex(position, { align: 'center' }),
  )
  const grid = useRef<HTMLDivElement>(null)
  useFirstKeys(grid)
  const gridId = useId()
  return (
    <div
      aria-activedescendant={keys.active === null ? undefined : `${gridId}-${keys.active}`}
      aria-label="Found events"
      aria-rowcount={hits.length + 1}
      className="list-frame search-grid"
      onClick={(event) => {
        const position = positionOf(event.target)
        if (position === null) return
        event.currentTarget.focus({ preventScroll: true })
        keys.setActive(position)
        want(position, false)
      }}
      onDoubleClick={(event) => {
        const position = positionOf(event.target)
        if (position !== null) openInSession(position)
      }}
      onKeyDown={keys.onKeyDown}
      ref={grid}
      role="grid"
      tabIndex={0}
    >
      <HeadRow />
      <div className="list-scroll" data-stale={isStale} ref={scroller} role="rowgroup">
        <div className="list-space" role="presentation" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const hit = hits[index]
            return (
              <div
                aria-rowindex={index + 2}
                aria-selected={isSelected(hit)}
                className="search-row"
                data-active={index === keys.active}
                data-position={index}
                id={`${gridId}-${index}`}
                key={index}
                role="row"
                style={{ transform: `translateY(${start}px)` }}
                tabIndex={-1}
              >
                {hit !== undefined && <HitCells hit={hit} />}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function HeadRow() {
  return (
    <div role="rowgroup">
      <div aria-rowindex={1} className="search-row search-head" role="row">
        {COLUMNS.map(({ name, className }) => (
          <span className={className} key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}

function useHitActions(hits: readonly SearchHit[], isStale: boolean) {
  const setSearch = useSetFindSearch()
  const open = useOpenSession(useDatabase().databaseId)
  const hitAt = (position: number) => (isStale ? undefined : hits[position])
  return {
    want: useWantedRow(hitAt, ({ sessionId, index }: SearchHit, replace) =>
      setSearch({ s: sessionId, event: index }, { replace }),
    ),
    openInSession: (position: number): void => {
      const hit = hitAt(position)
      if (hit !== undefined) open(hit.sessionId, hit.index)
    },
  }
}

/** Shows the hit the person left the list from. */
function useComingBack(position: number, show: (position: number) => void): void {
  const first = useRef({ position, show })
  useEffect(() => {
    if (first.current.position > 0) first.current.show(first.current.position)
  }, [])
}
