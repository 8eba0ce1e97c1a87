import { useEffect, useRef } from 'react'

interface Wanted {
  readonly position: number
  /** For the history: a step of the cursor replaces the entry, a deliberate choice adds one. */
  readonly replace: boolean
}

/** Opens a row, at once or as soon as it is loaded: `End` in a long list names a row before it is there. */
export function useWantedRow<Row>(
  rowAt: (position: number) => Row | undefined,
  open: (row: Row, replace: boolean) => void,
): (position: number, replace: boolean) => void {
  const wanted = useRef<Wanted | null>(null)
  const latest = useRef({ rowAt, open })
  const tryToOpen = (): void => {
    if (wanted.current === null) return
    const { position, replace } = wanted.current
    const row = latest.current.rowAt(position)
    if (row === undefined) return
    wanted.current = null
    latest.current.open(row, replace)
  }
  useEffect(() => {
    latest.current = { rowAt, open }
    tryToOpen()
  })
  return (position, replace) => {
    wanted.current = { position, replace }
    tryToOpen()
  }
}
