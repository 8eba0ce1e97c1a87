import { expect, test } from 'vitest'

import { KnownChips } from '../../src/inspector/known-chips.ts'
import { SessionTable } from '../../src/inspector/session-table.ts'
import { WorkTable } from '../../src/inspector/work-table.ts'
import { makeRow } from './support/unfinished-row.ts'

/** Three sessions without unfinished events, of which one was cleared. */
function makeKnown() {
  const table = new SessionTable()
  for (const [id, clearIndex] of [
    ['alpha', 0],
    ['beta', 0],
    ['gamma', 3],
  ] as const) {
    table.put({ id, head: 9, clearIndex, lastActivityAt: null })
  }
  const clock = { now: 1000, asked: 0 }
  const work = new WorkTable({
    now: () => {
      clock.asked += 1
      return clock.now
    },
    sameId: (id) => id,
  })
  const inOrder = (): Uint32Array => Uint32Array.from([0, 1, 2])
  let counted = 0
  const known = {
    sessions: {
      table,
      inOrder: () => {
        counted += 1
        return inOrder()
      },
    },
    work,
  }
  return { table, work, clock, known, timesCounted: () => counted }
}

const NONE = {
  dead: 0,
  pending: 0,
  running: 0,
  expired: 0,
  blocked: 0,
  retrying: 0,
  cleared: 1,
}

test('what is asked again is counted again only when something changed', () => {
  const { known, work, table, clock, timesCounted } = makeKnown()
  const chips = new KnownChips(known, () => clock.now)
  expect(chips.count('')).toEqual(NONE)
  expect(chips.count('')).toEqual(NONE)
  expect(timesCounted()).toBe(1)

  work.put([makeRow('alpha', 7), makeRow('beta', 8, { failedAt: 5 })])
  expect(chips.count('')).toEqual({ ...NONE, pending: 1, dead: 1 })
  work.remove(makeRow('beta', 8, { failedAt: 5 }))
  expect(chips.count('')).toEqual({ ...NONE, pending: 1 })
  // A clear hides what is below it.
  work.setClearIndex('alpha', 7)
  table.put({ id: 'alpha', head: 9, clearIndex: 7, lastActivityAt: null })
  expect(chips.count('')).toEqual({ ...NONE, cleared: 2 })
  expect(chips.count('beta')).toEqual({ ...NONE, cleared: 0 })
  expect(chips.count('')).toEqual({ ...NONE, cleared: 2 })
})

test('a claim that expires is told although nothing changed', () => {
  const { known, work, clock, timesCounted } = makeKnown()
  const chips = new KnownChips(known, () => clock.now)
  work.put([
    makeRow('alpha', 7, { claimExpiresAt: 3000 }),
    makeRow('beta', 7, { claimExpiresAt: 2000 }),
  ])
  expect(chips.count('')).toEqual({ ...NONE, pending: 2, running: 2 })
  clock.now = 1999
  expect(chips.count('')).toEqual({ ...NONE, pending: 2, running: 2 })
  expect(timesCounted()).toBe(1)
  clock.now = 2000
  expect(chips.count('')).toEqual({ ...NONE, pending: 2, running: 1, expired: 1 })
  clock.now = 3000
  expect(chips.count('')).toEqual({ ...NONE, pending: 2, expired: 2 })
  chips.count('')
  expect(timesCounted()).toBe(3)
})
