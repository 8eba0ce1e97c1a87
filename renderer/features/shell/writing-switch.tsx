import { useEffect } from 'react'

import type { DatabaseFacts } from '../../../src/model/database.ts'
import { useDatabase } from '../../api/database-context.ts'
import { isAway, useLiveValue } from '../../api/use-live.ts'
import { useWriting } from '../../api/use-writing.ts'
import { ChipButton, Kbd } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useNow } from '../../ui/time-ago.tsx'
import { formatCountdown } from '../../lib/format.ts'

/** The lock on writing: whether it is open, for how long, and the way to change that. */
export function WritingSwitch({ facts }: { readonly facts: DatabaseFacts | undefined }) {
  const { isUnlocked, isPending, setUnlocked } = useWriting()
  const until = useLiveValue((state) => state.unlockedUntil)
  const isPaused = useLiveValue(isAway)
  const isStandby = useLiveValue(
    ({ report }) => report?.state.status === 'connected' && report.state.server.isStandby,
  )
  const isBarred = facts?.dialect === 'postgres' && !facts.canWrite
  const barred = isStandby ? 'standby' : isBarred ? 'role without the right to write' : null
  return (
    <ChipButton
      aria-checked={isUnlocked}
      aria-keyshortcuts="W"
      aria-label={labelOf({ isUnlocked, isPaused, barred })}
      disabled={isPending}
      onClick={() => setUnlocked(!isUnlocked)}
      role="switch"
      title={titleOf({ isUnlocked, isPaused, barred })}
      tone={isUnlocked && !isPaused ? 'warning' : 'normal'}
    >
      <Icon name={isUnlocked && !isPaused ? 'unlock' : 'lock'} size={13} />
      {isUnlocked ? (
        <>
          <strong>
            {isPaused ? 'Writing paused' : 'Writing unlocked'}
            {until !== null && <Countdown until={until} />}
          </strong>
          {until !== null && <span className="lock-word">Lock</span>}
        </>
      ) : (
        <>
          Read-only
          {barred !== null && <span className="dim">{isStandby ? 'standby' : 'role'}</span>}
        </>
      )}
      {!isPaused && <Kbd>W</Kbd>}
    </ChipButton>
  )
}

interface Lock {
  readonly isUnlocked: boolean
  /** Nothing can be written now, however it is locked. */
  readonly isPaused: boolean
  readonly barred: string | null
}

function titleOf({ isUnlocked, isPaused, barred }: Lock): string {
  if (isPaused && isUnlocked) {
    return 'Nothing can be changed while the connection is away. It was unlocked before. Press to lock.'
  }
  if (isPaused) return 'Nothing can be changed: the connection is away, and writing is locked.'
  if (isUnlocked) return 'Actions can change the database. Press to lock.'
  if (barred !== null) return `Nothing can be changed: a ${barred}. Press to ask the server anew.`
  return 'Nothing can be changed. Press to unlock clear, reclaim, retry and skip.'
}

function labelOf({ isUnlocked, isPaused, barred }: Lock): string {
  if (isUnlocked && isPaused) return 'Writing paused: not connected'
  if (isUnlocked) return 'Writing unlocked'
  return barred === null ? 'Read-only. Unlock writing' : `Read-only ${barred}. Unlock writing`
}

/** The host locks at the same moment; the switch does not wait for its word. */
function Countdown({ until }: { readonly until: number }) {
  const { live } = useDatabase()
  const left = until - useNow()
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) live.setWriting(false, null)
  }, [isOver, live])
  return (
    <span aria-hidden="true" className="num">
      {' '}
      · {formatCountdown(left)}
    </span>
  )
}
