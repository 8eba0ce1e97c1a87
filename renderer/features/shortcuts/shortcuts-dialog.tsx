import { useState } from 'react'

import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { useCommands } from '../../state/commands.ts'
import { Kbd } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SHORTCUTS } from './shortcut-list.ts'
import './shortcuts.css'

export function ShortcutsDialog() {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  useCommands({ shortcuts: open })
  useHotkeys({ '?': open })
  return (
    <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
      <div className="shortcuts">
        {SHORTCUTS.map((group) => (
          <section key={group.name}>
            <h3>{group.name}</h3>
            <dl>
              {group.shortcuts.map(({ keys, what }) => (
                <ShortcutLine key={what} keys={keys} what={what} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function ShortcutLine({ keys, what }: { readonly keys: readonly string[]; readonly what: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{what}</dd>
    </>
  )
}
