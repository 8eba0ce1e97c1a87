import { setImmediate as yieldNow } from 'node:timers/promises'

import type { EventKey } from '../queries/event.ts'
import type { Asker } from './asker.ts'
import { locateEvent } from './event.ts'
import { blockCount, sessionsOfBlocks } from './facts.ts'

const FIRST_BLOCKS = 64
const LOCATE_BLOCKS = 1024

/** Sessions of the last blocks: their rows are mostly the newest. Looks at ever more blocks, within the bounds. */
export async function recentSessions(
  asker: Asker,
  blocks: number | null,
  { maxRows, maxSessions }: { maxRows: number; maxSessions: number },
): Promise<string[]> {
  if (!(await asker.schema()).hasBlocks) return []
  const found = new Set<string>()
  let before = blocks ?? (await asker.ask(blockCount))
  let rows = 0
  for (let wide = FIRST_BLOCKS; before > 0 && rows < maxRows; wide *= 2) {
    const from = Math.max(0, before - wide)
    const range = { from, before }
    const step = await asker.ask((scope) => sessionsOfBlocks(scope, range, maxSessions))
    for (const id of step.ids) found.add(id)
    rows += step.rows
    before = from
    if (found.size >= maxSessions) break
  }
  return [...found].slice(0, maxSessions)
}

/** Where an event id lives. Looks through the blocks, newest first, when no index helps. */
export async function locate(
  asker: Asker,
  eventId: string,
  signal?: AbortSignal,
): Promise<EventKey | null> {
  const { hasEventIdIndex, hasBlocks } = await asker.schema()
  if (hasEventIdIndex || !hasBlocks) return asker.ask((scope) => locateEvent(scope, eventId))
  let before = await asker.ask(blockCount, 'background')
  while (before > 0) {
    signal?.throwIfAborted()
    const blocks = { from: Math.max(0, before - LOCATE_BLOCKS), before }
    const found = await asker.ask((scope) => locateEvent(scope, eventId, blocks), 'background')
    if (found !== null) return found
    before = blocks.from
    await yieldNow()
  }
  return null
}
