import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import type { MouseEvent, RefObject } from 'react'

import { isNotFound } from '../api/errors.ts'
import { useRefreeze } from '../api/use-refreeze.ts'
import { positionOf } from './position-of.ts'
import { useAttention } from './use-attention.ts'
import { useCursorFollows } from './use-cursor-follows.ts'
import { useListKeys } from './use-list-keys.ts'
import { usePages } from './use-pages.ts'
import type { PageQuery } from './use-pages.ts'
import { useWantedRow } from './use-wanted-row.ts'

/** Before the list is laid out, PgDn passes as many rows as fit into this. */
const USUAL_PX = 400

/** A frozen order as the hook of its screen reads it. */
export interface Frozen {
  readonly view: {
    /** Epoch ms; 0: not frozen yet. */
    readonly dataUpdatedAt: number
    readonly refetch: () => Promise<unknown>
  }
  /** Told the first position on screen, so that a new order arrives with the rows that will be seen. */
  readonly setFirstVisible: (position: number) => void
  readonly listKey: string
}

interface FrozenRowsInput<Row> {
  readonly frozen: Frozen
  readonly view: { readonly viewId: string; readonly total: number }
  readonly scroller: RefObject<HTMLElement | null>
  readonly rowPx: number
  /** Rows drawn beyond both ends of what is visible. */
  readonly overscan: number
  readonly query: (offset: number) => PageQuery<Row>
  readonly isSelected: (row: Row) => boolean
  /** `replace`: a step of the cursor, no entry of its own in the history. */
  readonly open: (row: Row, replace: boolean) => void
  /** Enter leads from the list into what it opened. */
  readonly onEnter?: () => void
  /** See `useRefreeze`. */
  readonly isComplete: boolean
  readonly isSteady: boolean
  /** True while a row is being acted on: the order then stays, wherever the person looks. */
  readonly isHeld: boolean
}

/**
 * The rows of a frozen order of which only the visible ones exist: pages, cursor, choice, and when it may be
 * frozen anew. Spread `pointing` on the frame, `scrolling` on the scroller.
 */
export function useFrozenRows<Row>(input: FrozenRowsInput<Row>) {
  const { frozen, view, scroller, rowPx, overscan, isSelected, open } = input
  // oxlint-disable-next-line react/incompatible-library -- no React Compiler is in use
  const rows = useVirtualizer({
    count: view.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan,
  })
  const items = rows.getVirtualItems()
  const first = items[0]?.index ?? 0
  const { setFirstVisible } = frozen
  useEffect(() => setFirstVisible(first), [setFirstVisible, first])
  const { rowAt, error, refetch } = usePages({
    listKey: frozen.listKey,
    total: view.total,
    first,
    last: items.at(-1)?.index ?? 0,
    query: input.query,
  })
  const want = useWantedRow(rowAt, open)
  const keys = useListKeys({
    total: view.total,
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? USUAL_PX) / rowPx) - 1),
    onMove: (position) => rows.scrollToIndex(position),
    onRest: (position) => want(position, true),
    onEnter: (position) => {
      want(position, false)
      input.onEnter?.()
    },
  })
  const isSelectedAt = (position: number): boolean => {
    const row = rowAt(position)
    return row !== undefined && isSelected(row)
  }
  useCursorFollows({
    ...keys,
    viewId: view.viewId,
    find: () => items.find(({ index }) => isSelectedAt(index))?.index ?? null,
  })
  return {
    items,
    totalPx: rows.getTotalSize(),
    rowAt,
    isSelectedAt,
    error,
    refetch,
    active: keys.active,
    onKeyDown: keys.onKeyDown,
    onClick: (event: MouseEvent<HTMLElement>) => {
      const position = positionOf(event.target)
      if (position === null) return
      // A row that keeps the focus shows its ring around whatever stands there in the next order.
      event.currentTarget.focus({ preventScroll: true })
      keys.setActive(position)
      want(position, false)
    },
    ...useFreshness(input, error, keys.lastKeyAt),
  }
}

/** When the order is frozen anew by itself, and when the person is offered to. */
function useFreshness<Row>(
  { frozen, scroller, isComplete, isSteady, isHeld }: FrozenRowsInput<Row>,
  error: unknown,
  lastKeyAt: number,
) {
  const { isAway: isUnattended, pointing, scrolling } = useAttention(scroller, lastKeyAt)
  const isAway = isUnattended && !isHeld
  const { refetch: refreeze, dataUpdatedAt: frozenAt } = frozen.view
  const isOld = useRefreeze({ isAway, isComplete, isSteady, frozenAt, refreeze })
  useEffect(() => {
    if (isNotFound(error)) void refreeze()
  }, [error, refreeze])
  return { pointing, scrolling, refreeze, isOld: isOld && !isAway }
}
