import { Menu } from '@base-ui/react/menu'

import { SESSION_SORTS } from '../../../src/model/session.ts'
import type { SessionSort } from '../../../src/model/session.ts'
import { Icon } from '../../ui/icons.tsx'

const WORDS: Record<SessionSort, string> = {
  activity: 'Last activity',
  id: 'Session id',
  dead: 'Dead letters',
  pending: 'Pending events',
  live: 'Live events',
}
type Direction = 'asc' | 'desc'

interface SortMenuProps {
  readonly sort: SessionSort
  readonly direction: Direction
  readonly onChange: (sort: SessionSort, direction: Direction) => void
}

export function SortMenu({ sort, direction, onChange }: SortMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger className="tag" title="Order of the list">
        {WORDS[sort]}
        <Icon name={direction === 'desc' ? 'arrowDown' : 'arrowUp'} size={11} />
        <span className="visually-hidden">{direction === 'desc' ? 'descending' : 'ascending'}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" className="positioner" sideOffset={4}>
          <Menu.Popup className="menu">
            <Menu.RadioGroup
              onValueChange={(next: SessionSort) => onChange(next, next === 'id' ? 'asc' : 'desc')}
              value={sort}
            >
              {SESSION_SORTS.map((one) => (
                <Choice key={one} value={one} word={WORDS[one]} />
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="menu-line" />
            <Menu.RadioGroup
              onValueChange={(next: Direction) => onChange(sort, next)}
              value={direction}
            >
              <Choice value="desc" word="Descending" />
              <Choice value="asc" word="Ascending" />
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Choice({ value, word }: { readonly value: string; readonly word: string }) {
  return (
    <Menu.RadioItem className="menu-item" closeOnClick value={value}>
      <span className="menu-mark">
        <Menu.RadioItemIndicator>
          <Icon name="check" size={12} />
        </Menu.RadioItemIndicator>
      </span>
      {word}
    </Menu.RadioItem>
  )
}
