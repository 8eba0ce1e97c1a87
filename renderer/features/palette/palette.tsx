import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { useRef, useState } from 'react'
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
  const open = () => setOpen(true)
  useCommands({ palette: open })
  useHotkeys({ 'mod+k': () => setOpen((before) => !before) }, { evenInDialogs: isOpen })
  return (
    <Dialog.Root onOpenChange={setOpen} open={isOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup aria-label="Go to" className="palette">
          <PaletteBody onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PaletteBody({ onDone }: { readonly onDone: () => void }) {
  useHoldStill(true)
  const [text, setText] = useState('')
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
