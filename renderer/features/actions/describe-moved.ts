import type { ClearPreview } from '../../../src/model/action.ts'
import { plural } from '../../lib/format.ts'

type Seen = Pick<ClearPreview, 'head' | 'clearIndex'>

/** What happened to a session between what the person saw and what stands there now, in one or two sentences. */
export function describeMoved(before: Seen, now: Seen): string {
  if (now.clearIndex > before.clearIndex) return describeOtherClear(now)
  const came = now.head - before.head
  if (came <= 0) return 'The session changed meanwhile. Nothing was cleared.'
  return `${plural(came, 'event')} came meanwhile: ${range(before.head + 1, now.head)}. Nothing was cleared; what you see now includes ${came === 1 ? 'it' : 'them'}.`
}

function describeOtherClear({ head, clearIndex }: Seen): string {
  const cleared = `The session was cleared meanwhile: the marker is #${clearIndex}.`
  const came = head - clearIndex
  if (came <= 0) return cleared
  return `${cleared} ${plural(came, 'event')} came after it: ${range(clearIndex + 1, head)}.`
}

function range(first: number, last: number): string {
  return first === last ? `#${first}` : `#${first}–#${last}`
}
