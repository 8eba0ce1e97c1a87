import { useVirtualizer } from '@tanstack/react-virtual'
import { useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'

import type { JsonDocument } from '../../../src/model/json-text.ts'
import { Icon } from '../../ui/icons.tsx'
import { JsonLine } from './json-line.tsx'
import { JsonMenu } from './json-menu.tsx'
import { groupKey, isOpenable, openWithin, toJsonRows } from './json-rows.ts'
import type { JsonRow } from './json-rows.ts'
import { moveInTree } from './tree-keys.ts'

const LINE_HEIGHT = 19

interface JsonTreeProps {
  readonly document: JsonDocument
  readonly label: string
  /** Lines that may be open at first. */
  readonly budget: number
  /** Levels that are indented; deeper ones say their depth. */
  readonly deepest: number
}

/** A document as lines that open and close. Only what is open costs anything, only what is in view is in the page. */
export function JsonTree({ document, label, budget, deepest }: JsonTreeProps) {
  const [open, setOpen] = useState(() => openWithin(document, budget))
  const [wanted, setActive] = useState(0)
  const [hovered, setHovered] = useState<number | null>(null)
  const rows = useMemo(() => toJsonRows(document, open), [document, open])
  const active = Math.min(wanted, rows.length - 1)
  const scroller = useRef<HTMLDivElement>(null)
  const treeId = useId()
  // oxlint-disable-next-line react/incompatible-library -- nothing it returns is memoised here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 12,
  })
  const toggle = (row: JsonRow) => {
    if (isOpenable(document, row)) setOpen(toggled(open, row))
  }
  const go = (to: number) => {
    setActive(to)
    virtual.scrollToIndex(to, { align: 'auto' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const move = moveInTree(event.key, { document, rows, active, page: pageOf(scroller.current) })
    if (move === null) return
    event.preventDefault()
    event.stopPropagation()
    if (move === 'toggle') toggle(row)
    else go(move)
  }
  return (
    <div
      aria-activedescendant={`${treeId}-${active}`}
      aria-label={label}
      className="json-scroll json-tree"
      onKeyDown={onKeyDown}
      ref={scroller}
      role="tree"
      tabIndex={0}
    >
      <div className="json-space" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const openable = isOpenable(document, row)
          const isOpen =
            row.kind === 'open' || (row.kind === 'group' ? row.isOpen : open.has(row.node))
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the tree around it has the keys
            <div
              {...(isItem(row) && {
                role: 'treeitem',
                'aria-expanded': openable ? isOpen : undefined,
                'aria-level': row.depth + 1,
                'aria-selected': index === active,
              })}
              className="json-line"
              data-active={index === active}
              data-index={index}
              data-openable={openable}
              id={`${treeId}-${index}`}
              key={key}
              onClick={() => {
                setActive(index)
                if (openable && !hasSelection()) toggle(row)
              }}
              onPointerEnter={() => setHovered(index)}
              ref={virtual.measureElement}
              style={{
                transform: `translateY(${start}px)`,
                paddingInlineStart: 16 + Math.min(row.depth, deepest) * 14,
              }}
            >
              {openable && (
                <span aria-hidden="true" className="json-chevron">
                  <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={11} />
                </span>
              )}
              {row.depth > deepest && <span className="json-null">{`${row.depth} deep · `}</span>}
              <JsonLine document={document} open={open} row={row} />
              {(index === active || index === hovered) && hasMenu(row) && (
                <JsonMenu document={document} node={row.node} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function isItem({ kind }: JsonRow): boolean {
  return kind === 'value' || kind === 'open' || kind === 'group'
}

function hasMenu({ kind }: JsonRow): boolean {
  return kind !== 'group' && kind !== 'rest'
}

function toggled(open: ReadonlySet<number | string>, row: JsonRow): Set<number | string> {
  const key = row.kind === 'group' ? groupKey(row.node, row.from, row.to) : row.node
  const next = new Set(open)
  if (!next.delete(key)) next.add(key)
  return next
}

/** A click that ends a selection of text is not meant to open anything. */
function hasSelection(): boolean {
  return getSelection()?.isCollapsed === false
}

function pageOf(element: HTMLElement | null): number {
  return Math.max(1, Math.floor((element?.clientHeight ?? 0) / LINE_HEIGHT) - 1)
}
