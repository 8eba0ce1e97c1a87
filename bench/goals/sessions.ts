import { setTimeout as sleep } from 'node:timers/promises'

import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare } from '../measure/outcome.ts'
import { roundRobin, timed, type Turn } from '../measure/rounds.ts'
import { openReader, sessionIndexOf } from './inspectors.ts'
import { rawSql } from './raw-sql.ts'

const ignore = (): void => {}
const OPENINGS = 25
const REST_MS = 20

/** Nobody opens a file again and again: after a rest, what the processor remembers is something else. */
function rested(turn: Turn): Turn {
  return async () => {
    await sleep(REST_MS)
    return turn()
  }
}

export const allSessions = defineGoal({
  title: 'Every session, read in pages',
  sizes: BOTH_SIZES,
  lines: {
    all: { name: 'all sessions, in pages', floor: 'the same rows by one statement', limit: 1.3 },
  },
  async measure(bench) {
    const path = bench.file()
    const one = bench.raw(path).prepare(rawSql.allSessions)
    const reader = openReader(path)
    const found = await roundRobin({
      floor: timed(() => one.all()),
      value: timed(() => sessionIndexOf(reader).bringUpToDate(ignore)),
    })
    reader.close()
    return { all: compare(found.value, found.floor) }
  },
})

export const sessionsWithoutCounting = defineGoal({
  title: 'Every session without looking at every event',
  sizes: BOTH_SIZES,
  lines: {
    all: { name: 'all sessions, in pages', floor: 'group by on the key', limit: 0.8 },
  },
  async measure(bench) {
    const path = bench.file()
    const grouped = bench.raw(path).prepare(rawSql.groupBy)
    const reader = openReader(path)
    const found = await roundRobin({
      floor: timed(() => grouped.all()),
      value: timed(() => sessionIndexOf(reader).bringUpToDate(ignore)),
    })
    reader.close()
    return { all: compare(found.value, found.floor) }
  },
})

export const firstSessions = defineGoal({
  title: 'Open a file and read its first sessions',
  sizes: BOTH_SIZES,
  lines: {
    first: { name: 'open, first 50, close', floor: 'the same 50 on an open handle', limit: 4 },
  },
  async measure(bench) {
    const path = bench.file()
    const first = bench.raw(path).prepare(rawSql.first50)
    const found = await roundRobin(
      {
        floor: rested(timed(() => first.all())),
        value: rested(
          timed(async () => {
            const reader = openReader(path)
            await reader.sessionPage(null, 50)
            reader.close()
          }),
        ),
      },
      OPENINGS,
    )
    return { first: compare(found.value, found.floor) }
  },
})

export const recentSessions = defineGoal({
  title: 'The most recent sessions first',
  sizes: BOTH_SIZES,
  lines: {
    recent: { name: 'first screen, recent first', floor: 'all sessions, sorted', limit: 0.1 },
  },
  async measure(bench) {
    const path = bench.file()
    const all = bench.raw(path).prepare<[], { last_at: number }>(rawSql.allSessions)
    const reader = openReader(path)
    const found = await roundRobin({
      floor: timed(() => all.all().toSorted((a, b) => b.last_at - a.last_at)),
      value: timed(() => sessionIndexOf(reader).addRecent()),
    })
    reader.close()
    return { recent: compare(found.value, found.floor) }
  },
})
