import { useEffect, useRef } from 'react'

/**
 * In an order frozen anew the chosen row stands elsewhere: the keyboard's cursor goes there with it,
 * unless a key was pressed first. `find` looks among the rows that are on screen; null while they load.
 */
export function useCursorFollows(input: {
  readonly viewId: string
  readonly lastKeyAt: number
  readonly find: () => number | null
  readonly setActive: (position: number) => void
}): void {
  const { viewId, lastKeyAt, find, setActive } = input
  const settledView = useRef<string>(undefined)
  const settledKeyAt = useRef(lastKeyAt)
  useEffect(() => {
    if (settledKeyAt.current !== lastKeyAt) {
      settledKeyAt.current = lastKeyAt
      settledView.current = viewId
    }
    if (settledView.current === viewId) return
    const position = find()
    if (position === null) return
    settledView.current = viewId
    setActive(position)
  })
}
