import { Menu } from '@base-ui/react/menu'

import { NODE, rawText } from '../../../src/model/json-text.ts'
import type { JsonDocument } from '../../../src/model/json-text.ts'
import { pathOf } from '../../../src/model/json-text-path.ts'
import { prettyPrint } from '../../../src/model/json-text-print.ts'
import { decodeString } from '../../../src/model/json-text-string.ts'
import { copyText } from '../../lib/copy-text.ts'
import { Icon } from '../../ui/icons.tsx'

interface JsonMenuProps {
  readonly document: JsonDocument
  readonly node: number
}

/** What can be copied of a line. */
export function JsonMenu({ document, node }: JsonMenuProps) {
  const copies = [
    { label: 'Copy value', text: () => valueOf(document, node) },
    { label: 'Copy path', text: () => pathOf(document, node) },
    { label: 'Copy as stored', text: () => rawText(document, node) },
  ]
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        aria-label="Copy…"
        className="json-copy"
        onClick={(event) => event.stopPropagation()}
        title="Copy…"
      >
        <Icon name="copy" size={12} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" className="positioner" sideOffset={4}>
          <Menu.Popup className="menu">
            {copies.map(({ label, text }) => (
              <Menu.Item className="menu-item" key={label} onClick={() => void copyText(text())}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** A string's meaning; anything else indented, every token as it is written. */
function valueOf(document: JsonDocument, node: number): string {
  const raw = rawText(document, node)
  const isWhole = document.problem === null
  return document.kind[node] === NODE.string && isWhole ? decodeString(raw) : prettyPrint(raw)
}
