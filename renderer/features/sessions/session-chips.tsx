import { useState } from 'react'

import { SESSION_CHIPS } from '../../../src/model/session.ts'
import type { SessionChip, SessionCounts } from '../../../src/model/session.ts'
import { formatShortCount, plural } from '../../lib/format.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { ToggleTag } from '../../ui/chip.tsx'

const WORDS: Record<SessionChip, string> = {
  dead: 'Dead',
  pending: 'Pending',
  running: 'Running',
  expired: 'Expired',
  blocked: 'Blocked',
  retrying: 'Retrying',
  cleared: 'Cleared',
}

/** Always there; the others from when they first have something to show, so that the list below does not jump. */
const ALWAYS = new Set<SessionChip>(['dead', 'pending'])

/** States to filter by, with the number of sessions that have such events. */
export function SessionChips({ counts }: { readonly counts: SessionCounts | undefined }) {
  const { chips } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  const toggle = (chip: SessionChip) =>
    setSearch({
      chips: chips.includes(chip) ? chips.filter((one) => one !== chip) : [...chips, chip],
    })
  const [seen, setSeen] = useState<ReadonlySet<SessionChip>>(ALWAYS)
  const shown = SESSION_CHIPS.filter(
    (chip) => seen.has(chip) || chips.includes(chip) || (counts?.chips[chip] ?? 0) > 0,
  )
  if (shown.some((chip) => !seen.has(chip))) setSeen(new Set([...seen, ...shown]))
  return shown.map((chip) => (
    <ToggleTag
      isOn={chips.includes(chip)}
      key={chip}
      onClick={() => toggle(chip)}
      title={hintOf(chip, counts)}
    >
      {WORDS[chip]}
      <span className="num">{numberOf(chip, counts)}</span>
    </ToggleTag>
  ))
}

/** Short, the bar is narrow; the whole number is in the hint. */
function numberOf(chip: SessionChip, counts: SessionCounts | undefined): string {
  const count = counts?.chips[chip]
  if (count === undefined) return '…'
  const isCounting = chip !== 'cleared' && counts?.isWorkComplete === false
  return `${formatShortCount(count)}${isCounting ? '…' : ''}`
}

function hintOf(chip: SessionChip, counts: SessionCounts | undefined): string {
  const rest = counts?.isWorkComplete === false ? ' so far; still counting' : ''
  const count = plural(counts?.chips[chip] ?? 0, 'session')
  if (chip === 'cleared') return `${count} cleared at least once`
  return `${count} with ${chip} events${rest}`
}
