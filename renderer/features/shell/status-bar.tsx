import type { DatabaseFacts, SqliteFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { formatBytes, formatClock, formatCount } from '../../lib/format.ts'
import { runCommand } from '../../state/commands.ts'
import { usePreferences } from '../../state/preferences.ts'
import { Kbd } from '../../ui/chip.tsx'
import { FootprintLine } from './footprint-line.tsx'
import { ServerLine } from './server-line.tsx'
import { SettingsPopover } from './settings-popover.tsx'
import { StopReading } from './stop-reading.tsx'

interface StatusBarProps {
  /** undefined until they were read. */
  readonly facts: DatabaseFacts | undefined
  readonly isReading: boolean
}

export function StatusBar({ facts, isReading }: StatusBarProps) {
  return (
    <footer className="statusbar">
      {facts === undefined ? (
        <span>{isReading ? 'reading…' : 'not readable'}</span>
      ) : (
        <FactsLine facts={facts} />
      )}
      <FootprintLine />
      <span className="statusbar-end">
        <StopReading />
        <CountsAsOf />
        <button
          className="link-button statusbar-minor"
          onClick={() => runCommand('shortcuts')}
          type="button"
        >
          <Kbd>?</Kbd> shortcuts
        </button>
        <SettingsPopover />
      </span>
    </footer>
  )
}

function FactsLine({ facts }: { readonly facts: DatabaseFacts }) {
  return (
    <>
      {facts.dialect === 'postgres' ? <ServerLine facts={facts} /> : <FileLine facts={facts} />}
      <span className="statusbar-minor">a2 schema {facts.schema}</span>
      <Size facts={facts} />
    </>
  )
}

function FileLine({ facts }: { readonly facts: SqliteFacts }) {
  return (
    <>
      <span className="cut num">{fileOf(facts)}</span>
      {facts.isWalAbsent && (
        <span title="It was closed cleanly, or it is a copy without its newest commits. More on it: press the name of the database above.">
          opened without a -wal
        </span>
      )}
    </>
  )
}

function fileOf(facts: SqliteFacts): string {
  const version = facts.sqliteVersion.split('.').slice(0, 2).join('.')
  const bytes = formatBytes(facts.fileBytes + (facts.walBytes ?? 0))
  return `SQLite ${version} · ${facts.journalMode.toUpperCase()} · ${bytes}`
}

/** How many events there may be; nothing is counted for it. */
function Size({ facts }: { readonly facts: DatabaseFacts }) {
  const isEstimate = facts.dialect === 'postgres'
  const events = isEstimate ? facts.estimatedEvents : facts.eventsUpperBound
  if (events === null) return null
  return (
    <span
      className="statusbar-minor num"
      title={
        isEstimate
          ? 'The planner’s estimate, not a count.'
          : 'The highest row number, not a count: reclaimed events leave gaps.'
      }
    >
      {isEstimate ? '~' : 'up to '}
      {formatCount(events)} events
    </span>
  )
}

/** A count always says as of when. */
function CountsAsOf() {
  const { zone } = usePreferences()
  const counts = useLiveValue((state) => state.counts)
  if (counts === null || counts.countedAt === null) return <span>counts: not yet</span>
  return (
    <span className="num">
      counts as of {formatClock(counts.countedAt, zone)} ·{' '}
      {counts.isWorkComplete ? (
        <span className="good">complete</span>
      ) : (
        <span>counting {Math.floor(counts.progress * 100)} %</span>
      )}
    </span>
  )
}
