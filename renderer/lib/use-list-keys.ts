import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'

/** Holding an arrow key down passes many rows; what they lead to is opened when the key rests. */
const REST_MS = 120

interface ListKeysInput {
  readonly total: number
  /** Rows that PgUp and PgDn pass. */
  readonly pageRows: number
  readonly onMove: (position: number) => void
  readonly onRest?: (position: number) => void
  readonly onEnter: (position: number) => void
}

/** The cursor of a list: arrows, PgUp, PgDn, Home, End and Enter. */
export function useListKeys(input: ListKeysInput) {
  const [active, setActive] = useState<number | null>(null)
  const [lastKeyAt, setLastKeyAt] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const current = active === null ? null : Math.min(active, input.total - 1)

  const move = (position: number): void => {
    const next = Math.max(0, Math.min(input.total - 1, position))
    setActive(next)
    setLastKeyAt(Date.now())
    input.onMove(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => input.onRest?.(next), REST_MS)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Enter' && current !== null) {
      event.preventDefault()
      clearTimeout(timer.current)
      input.onEnter(current)
      return
    }
    const target = targetOf(event.key, current, input)
    if (target === null) return
    event.preventDefault()
    move(target)
  }
  return { active: current, setActive, lastKeyAt, onKeyDown }
}

function targetOf(
  key: string,
  from: number | null,
  { total, pageRows }: ListKeysInput,
): number | null {
  switch (key) {
    case 'ArrowDown':
      return from === null ? 0 : from + 1
    case 'ArrowUp':
      return from === null ? 0 : from - 1
    case 'PageDown':
      return (from ?? 0) + pageRows
    case 'PageUp':
      return (from ?? 0) - pageRows
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}
