import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

import './overlay.css'

/** A hint on hover and focus; never the only place where something is said. */
export function Tooltip({
  hint,
  children,
}: {
  readonly hint: ReactNode
  readonly children: ReactElement
}) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className="positioner" sideOffset={6}>
          <Base.Popup className="tooltip">{hint}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
