import { Popover } from '@base-ui/react/popover'
import { useRef, useState } from 'react'
import type { FormEvent } from 'react'

import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'

/** Go to an event by its index, `#`. */
export function GoToIndex({
  head,
  onGo,
}: {
  readonly head: number
  readonly onGo: (index: number) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const [isWrong, setWrong] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useHotkeys({ '#': () => setOpen(true) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const index = Number(input.current?.value.replace('#', '').trim())
    const isIndex = Number.isInteger(index) && index >= 1 && index <= head
    setWrong(!isIndex)
    if (!isIndex) return input.current?.select()
    setOpen(false)
    return onGo(index)
  }
  return (
    <Popover.Root
      onOpenChange={(next) => {
        setOpen(next)
        setWrong(false)
      }}
      open={isOpen}
    >
      <Popover.Trigger render={<Button className="go-to-index" size="small" tone="plain" />}>
        Go to <Kbd>#</Kbd>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="end" className="positioner" sideOffset={4}>
          <Popover.Popup className="popover" initialFocus={input}>
            <form className="go-to-form" onSubmit={submit}>
              <label htmlFor="go-to-index">Event #</label>
              <input
                aria-describedby={isWrong ? 'go-to-range' : undefined}
                aria-invalid={isWrong}
                autoComplete="off"
                className="input num"
                id="go-to-index"
                inputMode="numeric"
                placeholder={`1–${head}`}
                ref={input}
              />
              <Button size="small" tone="primary" type="submit">
                Go
              </Button>
            </form>
            {isWrong && (
              <p className="go-to-wrong" id="go-to-range" role="alert">
                {`Indexes of this session go from 1 to ${head}.`}
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
