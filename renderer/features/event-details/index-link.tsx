import type { ReactNode } from 'react'

/** An index of the same session that opens when pressed, where something can be opened. */
export function IndexLink({
  index,
  onOpen,
  children,
}: {
  readonly index: number
  readonly onOpen: ((index: number) => void) | undefined
  readonly children?: ReactNode
}) {
  const text = children ?? `#${index}`
  if (onOpen === undefined) return <span className="num">{text}</span>
  return (
    <button className="index-link" onClick={() => onOpen(index)} type="button">
      {text}
    </button>
  )
}
