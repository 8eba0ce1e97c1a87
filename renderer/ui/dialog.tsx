import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'

import { useIsScrollable } from '../lib/use-is-scrollable.ts'
import { useHoldStill } from '../state/holds.ts'
import { IconButton } from './button.tsx'
import './overlay.css'

interface DialogProps {
  readonly isOpen: boolean
  /** Called for Esc, the close button and a click beside it. */
  readonly onClose: () => void
  readonly title: ReactNode
  /** One sentence, spoken with the title. */
  readonly description?: ReactNode
  readonly size?: 'normal' | 'wide'
  /** Buttons, the safe one first. */
  readonly foot?: ReactNode
  readonly children?: ReactNode
  /** What gets the focus when it opens; the first focusable otherwise. */
  readonly initialFocus?: RefObject<HTMLElement | null>
}

/** A modal dialog. While it is open the live view stands still and hotkeys rest. */
export function Dialog(props: DialogProps) {
  useHoldStill(props.isOpen)
  return (
    <Base.Root onOpenChange={(isOpen) => !isOpen && props.onClose()} open={props.isOpen}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className="dialog"
          data-size={props.size ?? 'normal'}
          {...(props.initialFocus === undefined ? {} : { initialFocus: props.initialFocus })}
        >
          <div className="dialog-head">
            <Base.Title>{props.title}</Base.Title>
            <Base.Close render={<IconButton icon="close" label="Close" />} />
          </div>
          <DialogBody>
            {props.description !== undefined && (
              <Base.Description className="dim">{props.description}</Base.Description>
            )}
            {props.children}
          </DialogBody>
          {props.foot !== undefined && <div className="dialog-foot">{props.foot}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Long contents scroll, and then the arrow keys have to reach them. */
function DialogBody({ children }: { readonly children: ReactNode }) {
  const [ref, isScrollable] = useIsScrollable()
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div className="dialog-body" ref={ref} tabIndex={isScrollable ? 0 : undefined}>
      {children}
    </div>
  )
}
