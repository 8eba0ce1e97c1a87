import type { JsonDocument } from '../../../src/model/json-text.ts'
import { isOpenable } from './json-rows.ts'
import type { JsonRow } from './json-rows.ts'

interface TreeState {
  readonly document: JsonDocument
  readonly rows: readonly JsonRow[]
  readonly active: number
  /** Lines in view. */
  readonly page: number
}

/** Where a key leads: a line, `toggle` for the line itself, null when the key is not the tree's. */
export function moveInTree(key: string, state: TreeState): number | 'toggle' | null {
  const { rows, active, page } = state
  const row = rows[active]
  if (row === undefined) return null
  switch (key) {
    case 'ArrowDown':
      return Math.min(rows.length - 1, active + 1)
    case 'ArrowUp':
      return Math.max(0, active - 1)
    case 'PageDown':
      return Math.min(rows.length - 1, active + page)
    case 'PageUp':
      return Math.max(0, active - page)
    case 'Home':
      return 0
    case 'End':
      return rows.length - 1
    case 'Enter':
    case ' ':
      return isOpenable(state.document, row) ? 'toggle' : active
    case 'ArrowRight':
      return right(state, row)
    case 'ArrowLeft':
      return left(state, row)
    default:
      return null
  }
}

function isOpen({ rows, active }: TreeState, row: JsonRow): boolean {
  if (row.kind === 'group') return row.isOpen
  if (row.kind === 'open') return true
  return rows[active + 1]?.kind === 'text'
}

function right(state: TreeState, row: JsonRow): number | 'toggle' {
  if (!isOpenable(state.document, row)) return state.active
  return isOpen(state, row) ? Math.min(state.rows.length - 1, state.active + 1) : 'toggle'
}

function left(state: TreeState, row: JsonRow): number | 'toggle' {
  if (isOpenable(state.document, row) && isOpen(state, row)) return 'toggle'
  const { rows, active } = state
  const depth = row.kind === 'close' ? row.depth + 1 : row.depth
  for (let at = active - 1; at >= 0; at -= 1) {
    const above = rows[at]
    if (above !== undefined && above.depth < depth && above.kind !== 'close') return at
  }
  return 0
}
