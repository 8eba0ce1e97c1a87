import type { ConnectionState } from '../../../src/model/connection.ts'
import { useLive } from '../../api/use-live.ts'
import { formatCount } from '../../lib/format.ts'
import { ChipButton, Dot } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'

/** Whether the screen follows the database; pauses and resumes it. */
export function LiveChip() {
  const { connection, isPaused, missed, latencyMs, trouble, report, feed } = useLive()
  const toggle = () => feed.setPaused(!isPaused)
  if (isPaused) {
    return (
      <ChipButton
        aria-label={`Paused, ${missed} new events. Resume`}
        onClick={toggle}
        title="The screen stands still. Press P to resume."
        tone="warning"
      >
        <Icon name="play" size={11} />
        <span>Paused{missed > 0 && <span className="num"> · {formatCount(missed)} new</span>}</span>
      </ChipButton>
    )
  }
  const { tone, word } = describe(connection, trouble !== null, report?.state.status)
  const latency =
    word === 'Live' && latencyMs !== null ? ` · ${Math.max(0, Math.round(latencyMs))} ms` : ''
  return (
    <ChipButton
      aria-label={`${word}. Pause`}
      onClick={toggle}
      title={`${latency === '' ? '' : 'Time from a commit being noticed to this window. '}Press P to pause.`}
    >
      <Dot tone={tone} />
      <span className="num">
        {word}
        {latency}
      </span>
    </ChipButton>
  )
}

function describe(
  connection: 'connecting' | 'live' | 'lost',
  isInTrouble: boolean,
  server: ConnectionState['status'] | undefined,
) {
  if (server === 'disconnected') return { tone: 'bad', word: 'Disconnected' } as const
  if (server === 'reconnecting') return { tone: 'warning', word: 'Reconnecting' } as const
  if (connection === 'lost') return { tone: 'bad', word: 'Reconnecting' } as const
  if (isInTrouble) return { tone: 'warning', word: 'Waiting' } as const
  if (connection === 'connecting') return { tone: 'off', word: 'Connecting' } as const
  return { tone: 'good', word: 'Live' } as const
}
