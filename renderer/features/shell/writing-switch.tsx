import { useEffect } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { useWriting } from '../../api/use-writing.ts'
import { ChipButton, Kbd } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useNow } from '../../ui/time-ago.tsx'
import { formatCountdown } from '../../lib/format.ts'

/** The lock on writing: whether it is open, for how long, and the way to change that. */
export function WritingSwitch() {
  const { isUnlocked, isPending, setUnlocked } = useWriting()
  const until = useLiveValue((state) => state.unlockedUntil)
  const standby = useLiveValue(
    ({ report }) => report?.state.status === 'connected' && report.state.server.isStandby,
  )
  return (
    <ChipButton
      aria-checked={isUnlocked}
      aria-keyshortcuts="W"
      aria-label={labelOf(isUnlocked, standby)}
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
      {isUnlocked ? (
        <>
          <strong>
            Writing unlocked
            {until !== null && <Countdown until={until} />}
          </strong>
          {until !== null && <span className="lock-word">Lock</span>}
        </>
      ) : standby ? (
        'Standby, read-only'
      ) : (
        'Read-only'
      )}
      <Kbd>W</Kbd>
    </ChipButton>
  )
}

function labelOf(isUnlocked: boolean, isStandby: boolean): string {
  if (isUnlocked) return 'Writing unlocked'
  return isStandby ? 'Read-only: a standby takes no writes' : 'Read-only. Unlock writing'
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
