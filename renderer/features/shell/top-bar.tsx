import { Link } from '@tanstack/react-router'

import type { DatabaseFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useWriting } from '../../api/use-writing.ts'
import { modKey } from '../../lib/use-hotkeys.ts'
import { runCommand } from '../../state/commands.ts'
import { Chip, ChipButton, Kbd } from '../../ui/chip.tsx'
import { Count } from '../../ui/count.tsx'
import { Icon } from '../../ui/icons.tsx'
import { DatabaseChip } from './database-chip.tsx'
import { LiveChip } from './live-chip.tsx'

interface TopBarProps {
  readonly path: string
  readonly isSample: boolean
  /** undefined until they were read. */
  readonly facts: DatabaseFacts | undefined
}

export function TopBar({ path, isSample, facts }: TopBarProps) {
  return (
    <header className="topbar">
      <Link className="topbar-name" title="Back to start" to="/">
        A2 Inspector
      </Link>
      <DatabaseChip facts={facts} isSample={isSample} path={path} />
      <WritingSwitch />
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

function WritingSwitch() {
  const { isUnlocked, isPending, setUnlocked } = useWriting()
  return (
    <ChipButton
      aria-checked={isUnlocked}
      aria-keyshortcuts="W"
      aria-label={isUnlocked ? 'Writing unlocked' : 'Read-only. Unlock writing'}
      disabled={isPending}
      onClick={() => setUnlocked(!isUnlocked)}
      role="switch"
      title={
        isUnlocked
          ? 'Actions can change the database. Press to lock.'
          : 'Nothing can be changed. Press to unlock clear, reclaim, retry and skip.'
      }
      tone={isUnlocked ? 'warning' : 'normal'}
    >
      <Icon name={isUnlocked ? 'unlock' : 'lock'} size={13} />
      {isUnlocked ? <strong>Writing unlocked</strong> : 'Read-only'}
      <Kbd>W</Kbd>
    </ChipButton>
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
