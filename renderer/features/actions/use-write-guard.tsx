import { useRef, useState } from 'react'
import type { ReactNode } from 'react'

import { useLiveValue } from '../../api/use-live.ts'
import { useWriting } from '../../api/use-writing.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface Asked {
  /** What the person wanted, continuing `Unlock and …`. */
  readonly label: string
  readonly run: () => void
}

export interface WriteGuard {
  readonly isUnlocked: boolean
  /** Runs at once when writing is unlocked; else explains the lock and runs after it was unlocked. */
  readonly guard: (label: string, run: () => void) => void
  /** Goes on a button that needs the lock open: it looks disabled, says why, and still explains when pressed. */
  readonly buttonProps: { readonly 'data-locked'?: true; readonly title?: string }
  /** Has to stand somewhere in the page. */
  readonly dialog: ReactNode
}

/** Asks for the lock on writing to be opened before something is written. */
export function useWriteGuard(): WriteGuard {
  const { isUnlocked, isPending, setUnlocked } = useWriting()
  const isServer = useLiveValue(({ report }) => report !== null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const safe = useRef<HTMLButtonElement>(null)
  const close = () => setAsked(null)
  const unlock = () => {
    setUnlocked(true, {
      onSuccess: ({ isUnlocked: isOpen }) => {
        close()
        if (isOpen) asked?.run()
      },
    })
  }
  const dialog = (
    <Dialog
      description="Nothing in the database can be changed from this window until you unlock writing."
      foot={
        <>
          <Button onClick={close} ref={safe}>
            Cancel
          </Button>
          <Button disabled={isPending} onClick={unlock} tone="primary">
            {`Unlock and ${asked?.label ?? 'go on'}`}
          </Button>
        </>
      }
      initialFocus={safe}
      isOpen={asked !== null}
      onClose={close}
      title="Writing is locked"
    >
      <p className="action-note">
        {isServer
          ? 'It is unlocked for ten minutes, on a connection of its own, and locks itself again. '
          : ''}
        You can lock it again at any time with <Kbd>W</Kbd>. Every change is written to the audit
        log.
      </p>
    </Dialog>
  )
  return {
    isUnlocked,
    guard: (label, run) => (isUnlocked ? run() : setAsked({ label, run })),
    buttonProps: isUnlocked
      ? {}
      : { 'data-locked': true, title: 'Writing is locked. Press to see how to unlock it.' },
    dialog,
  }
}
