import { Link } from '@tanstack/react-router'

import type { OpenedDatabase } from '../../../src/contract/index.ts'
import type { DatabaseFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { modKey } from '../../lib/use-hotkeys.ts'
import { runCommand } from '../../state/commands.ts'
import { Chip, Kbd } from '../../ui/chip.tsx'
import { Count } from '../../ui/count.tsx'
import { Icon } from '../../ui/icons.tsx'
import { DatabaseChip } from './database-chip.tsx'
import { LiveChip } from './live-chip.tsx'
import { ServerChip } from './server-chip.tsx'
import { WritingSwitch } from './writing-switch.tsx'

interface TopBarProps {
  readonly opened: OpenedDatabase
  /** undefined until they were read. */
  readonly facts: DatabaseFacts | undefined
}

export function TopBar({ opened, facts }: TopBarProps) {
  return (
    <header className="topbar">
      <Link className="topbar-name" title="Back to start" to="/">
        A2 Inspector
      </Link>
      {opened.kind === 'file' ? (
        <DatabaseChip facts={facts} isSample={opened.isSample} path={opened.path} />
      ) : (
        <ServerChip facts={facts} opened={opened} />
      )}
      <WritingSwitch facts={facts} />
      <button
        aria-keyshortcuts="Control+K Meta+K"
        className="search-box"
        onClick={() => runCommand('palette')}
        type="button"
      >
        <Icon name="search" size={14} />
        <span className="search-words cut">Go to session, event, view or command…</span>
        <span aria-hidden="true">
          <Kbd>{modKey('K')}</Kbd>
        </span>
      </button>
      <LiveChip />
      <SessionsChip />
    </header>
  )
}

function SessionsChip() {
  const sessions = useLiveValue((state) => state.counts?.sessions ?? null)
  const isComplete = useLiveValue((state) => state.counts?.isListComplete ?? false)
  if (sessions === null || (sessions === 0 && !isComplete)) return null
  return (
    <span className="sessions-chip">
      <Chip title={isComplete ? undefined : 'still listing sessions'}>
        <span>
          <Count value={sessions} />
          {isComplete ? '' : '…'} {sessions === 1 ? 'session' : 'sessions'}
        </span>
      </Chip>
    </span>
  )
}
