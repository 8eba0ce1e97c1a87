import { Popover } from '@base-ui/react/popover'

import { THEMES } from '../../../src/contract/host-contract.ts'
import { setPreferences, usePreferences, ZONES } from '../../state/preferences.ts'
import { IconButton } from '../../ui/button.tsx'

/** Theme and time zone, for this person on this machine. */
export function SettingsPopover() {
  const { theme, zone } = usePreferences()
  return (
    <Popover.Root>
      <Popover.Trigger render={<IconButton icon="settings" label="Settings" />} />
      <Popover.Portal>
        <Popover.Positioner align="end" className="positioner" side="top" sideOffset={6}>
          <Popover.Popup className="popover">
            <Popover.Title>Settings</Popover.Title>
            <div className="settings">
              <Choice
                name="Theme"
                onChange={(next) => setPreferences({ theme: next })}
                options={THEMES}
                value={theme}
              />
              <Choice
                name="Times"
                onChange={(next) => setPreferences({ zone: next })}
                options={ZONES}
                value={zone}
              />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ChoiceProps<T extends string> {
  readonly name: string
  readonly options: readonly T[]
  readonly value: T
  readonly onChange: (value: T) => void
}

function Choice<T extends string>({ name, options, value, onChange }: ChoiceProps<T>) {
  return (
    <fieldset>
      <legend>{name}</legend>
      <span className="segments">
        {options.map((option) => (
          <label key={option}>
            <input
              checked={option === value}
              name={name}
              onChange={() => onChange(option)}
              type="radio"
              value={option}
            />
            {option === 'utc' ? 'UTC' : option}
          </label>
        ))}
      </span>
    </fieldset>
  )
}
