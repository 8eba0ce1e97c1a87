import { Popover } from '@base-ui/react/popover'

import { useFootprint } from '../../api/use-footprint.ts'
import { footprintLines, footprintWords } from '../../lib/describe-footprint.ts'
import { usePreferences } from '../../state/preferences.ts'
import { FactLines } from './database-facts.tsx'

/** What this program takes of the database: short here, all of it on a press. */
export function FootprintLine() {
  const footprint = useFootprint()
  const { zone } = usePreferences()
  if (footprint === null) return null
  const words = footprintWords(footprint)
  return (
    <Popover.Root>
      <Popover.Trigger
        className="link-button footprint cut num"
        title="What this program takes of the database."
      >
        {words.join(' · ')}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="start" className="positioner" side="top" sideOffset={6}>
          <Popover.Popup className="popover">
            <Popover.Title>Footprint</Popover.Title>
            <FactLines lines={footprintLines(footprint, zone)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
