import { Popover } from '@base-ui/react/popover'

import type { DatabaseFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { shortPath } from '../../lib/format.ts'
import { ChipButton, Dot } from '../../ui/chip.tsx'
import { FactLines, linesOf } from './database-facts.tsx'

interface DatabaseChipProps {
  readonly path: string
  readonly isSample: boolean
  readonly facts: DatabaseFacts | undefined
}

/** Which database this is; opens what is known about the file. */
export function DatabaseChip({ path, isSample, facts }: DatabaseChipProps) {
  const isInTrouble = useLiveValue((state) => state.trouble !== null)
  const tone = isInTrouble ? 'warning' : facts === undefined ? 'off' : 'good'
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <ChipButton title={path}>
            <Dot tone={tone} />
            <span className="database-chip cut">
              <span className="dialect">SQLite · </span>
              <span className="mono isolate">{isSample ? 'sample' : shortPath(path)}</span>
            </span>
          </ChipButton>
        }
      />
      <Popover.Portal>
        <Popover.Positioner align="start" className="positioner" sideOffset={6}>
          <Popover.Popup className="popover">
            <Popover.Title>Database</Popover.Title>
            {facts === undefined ? (
              <p className="dim">Not read yet.</p>
            ) : (
              <FactLines lines={linesOf(facts)} />
            )}
            {facts?.dialect === 'sqlite' && facts.isWalAbsent && (
              <p className="facts-note">
                Opened in WAL mode with no -wal beside it: closed cleanly, or a copy that lost its
                newest commits. Nothing in the file tells which. If it is a copy, put the -wal of
                the original beside it and open it again.
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
