import { setTimeout as sleep } from 'node:timers/promises'

import type { NewEvent } from '../model/live.ts'
import type { RowPosition } from './queries/position.ts'
import type { SessionCursor } from './queries/sessions.ts'
import type { Follower, Reader } from './reader.ts'

const BATCH = 2000
const PAGE = 500

/** Follows the table by its row numbers, or the sessions' heads where rows have none. */
export function openFollower(reader: Reader): Follower {
  if (reader.openFollower !== undefined) return reader.openFollower()
  let follower: Follower | null = null
  return {
    start: async () => {
      const { hasRowids } = await reader.capabilities()
      follower = hasRowids ? followRows(reader) : followHeads(reader)
      await follower.start()
    },
    next: async () => {
      if (follower !== null) return follower.next()
      // It could not be read when the watching began.
      const { hasRowids } = await reader.capabilities()
      const opened = hasRowids ? followRows(reader) : followHeads(reader)
      await opened.start()
      follower = opened
      return { events: [], isMore: false }
    },
    end: () => {},
  }
}

function followRows(reader: Reader): Follower {
  let position: RowPosition = { rowid: 0, event: null }
  let epoch = 0
  const start = async (): Promise<void> => {
    position = await reader.tip()
    epoch = reader.epoch.file
  }
  return {
    start,
    end: () => {},
    next: async () => {
      const step = await reader.follow(position, BATCH)
      if (step === 'lost') {
        // Whoever notices first tells the reader; all others see its epoch.
        if (reader.epoch.file === epoch) reader.noteRestored()
        return { events: [], isMore: false }
      }
      if (reader.epoch.file !== epoch) return { events: [], isMore: false }
      position = step.position
      return step
    },
  }
}

function followHeads(reader: Reader): Follower {
  let heads = new Map<string, number>()
  let restUntil = 0
  const readHeads = async (): Promise<Map<string, number>> => {
    const found = new Map<string, number>()
    let cursor: SessionCursor | null = null
    do {
      const page: Awaited<ReturnType<Reader['sessionPage']>> = await reader.sessionPage(
        cursor,
        PAGE,
      )
      for (const { id, head } of page.sessions) found.set(id, head)
      cursor = page.next
    } while (cursor !== null)
    return found
  }
  return {
    start: async () => {
      heads = await readHeads()
    },
    end: () => {},
    next: async () => {
      // Every session has to be looked at: not more than a twentieth of the time, and once a second at least.
      const rest = restUntil - performance.now()
      if (rest > 0) await sleep(rest, undefined, { ref: false })
      const startedAt = performance.now()
      const events: NewEvent[] = []
      for (const [sessionId, head] of await readHeads()) {
        const known = heads.get(sessionId) ?? 0
        if (head < known) {
          reader.noteRestored()
          return { events: [], isMore: false }
        }
        if (head === known || events.length >= BATCH) continue
        const through = Math.min(head, known + BATCH - events.length)
        events.push(...(await reader.refs({ sessionId, from: known + 1, to: through })))
        heads.set(sessionId, through)
      }
      const tookMs = performance.now() - startedAt
      restUntil = performance.now() + Math.min(1000, 20 * tookMs)
      return { events, isMore: events.length >= BATCH }
    },
  }
}
