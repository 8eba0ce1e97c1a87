import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'

import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { useCommands } from '../../state/commands.ts'
import { useHoldStill } from '../../state/holds.ts'
import { Kbd } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { usePaletteItems } from './use-palette-items.ts'
import type { PaletteItem } from './use-palette-items.ts'
import './palette.css'
import '../../ui/overlay.css'

/** Go anywhere, by typing. */
export function Palette() {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const change = (next: boolean) => {
    setText('')
    setOpen(next)
  }
  useCommands({ palette: () => change(true) })
  useHotkeys({ 'mod+k': () => change(!isOpen) }, { evenInDialogs: isOpen })
  useEarlyKeys(isOpen, setText)
  return (
    <Dialog.Root onOpenChange={change} open={isOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup aria-label="Go to" className="palette">
          <PaletteBody onDone={() => change(false)} setText={setText} text={text} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What is typed between the key that opens it and the focus of its input is its text too, and no key of the screen behind. */
function useEarlyKeys(
  isOpen: boolean,
  setText: (change: (before: string) => string) => void,
): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event
      const isText = Array.from(key).length === 1 && !ctrlKey && !metaKey && !altKey
      if ((!isText && key !== 'Enter') || document.activeElement?.closest('.palette')) return
      event.preventDefault()
      event.stopImmediatePropagation()
      if (isText) setText((before) => before + key)
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [isOpen, setText])
}

interface PaletteBodyProps {
  readonly text: string
  readonly setText: (text: string) => void
  readonly onDone: () => void
}

function PaletteBody({ text, setText, onDone }: PaletteBodyProps) {
  useHoldStill(true)
  const { groups, isSearching, error } = usePaletteItems(text)
  const run = (item: PaletteItem): void => {
    onDone()
    item.run()
  }
  const all = groups.flatMap((group) => group.items)
  // Any text can be searched for: that is no answer to what was typed.
  const isEmpty = groups.every(({ name, items }) => name === 'Search' || items.length === 0)
  const choice = useChoice(all)
  return (
    <Command label="Go to" loop shouldFilter={false} {...choice.props}>
      <Command.Input
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
        onValueChange={(next) => {
          choice.reset()
          setText(next)
        }}
        placeholder="Session, #event, event id, view or command"
        value={text}
      />
      <Command.List label="Results">
        {groups
          .filter((group) => group.items.length > 0)
          .map((group) => (
            <Command.Group heading={group.name} key={group.name}>
              {group.items.map((item) => (
                <Command.Item key={item.key} onSelect={() => run(item)} value={item.key}>
                  <Icon name={item.icon} size={14} />
                  <span className={item.isId ? 'cut mono isolate' : 'cut'}>{item.text}</span>
                  {item.hotkey !== undefined && <Kbd>{item.hotkey}</Kbd>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        {isSearching && <p className="palette-note">Looking…</p>}
        {error !== null && (
          <p className="palette-note">The sessions could not be searched: {error}</p>
        )}
        {isEmpty && !isSearching && error === null && (
          <p className="palette-note">Nothing is called that.</p>
        )}
      </Command.List>
    </Command>
  )
}

/** The first result is the chosen one, also when better ones arrive late, until the person moves to another. */
function useChoice(items: readonly PaletteItem[]) {
  const [moved, setMoved] = useState<string | null>(null)
  const hasMoved = useRef(false)
  const move = () => {
    hasMoved.current = true
  }
  const isThere = items.some(({ key }) => key === moved)
  return {
    reset: () => {
      hasMoved.current = false
      setMoved(null)
    },
    props: {
      value: (isThere ? moved : items[0]?.key) ?? '',
      // It is also called by the list itself, for its own first choice.
      onValueChange: (key: string) => {
        if (hasMoved.current) setMoved(key)
      },
      onKeyDownCapture: ({ key }: KeyboardEvent) => {
        if (key.startsWith('Arrow') || key === 'Home' || key === 'End') move()
      },
      onPointerMoveCapture: move,
    },
  }
}
