import type { ReactNode } from 'react'

import './split-view.css'

/**
 * Main column and, while `side` is not null, a side panel. Where there is no room for both the panel takes
 * the place of the main column. Both columns are flex columns that do not scroll: what stands in them decides what scrolls.
 */
export function SplitView({
  children,
  side,
  sideLabel,
}: {
  readonly children: ReactNode
  readonly side: ReactNode
  readonly sideLabel: string
}) {
  const isOpen = side !== null && side !== undefined
  return (
    <div className="split-room">
      <div className="split" data-side={isOpen ? 'open' : 'closed'}>
        <div className="split-main">{children}</div>
        {isOpen && (
          <aside aria-label={sideLabel} className="split-side">
            {side}
          </aside>
        )}
      </div>
    </div>
  )
}
