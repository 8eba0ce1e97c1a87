import { expect, test } from 'vitest'

import type { UnfinishedRow } from '../../src/inspector/queries/work.ts'
import { WorkTable } from '../../src/inspector/work-table.ts'
import { makeRow } from './support/unfinished-row.ts'

const NOW = 1_000_000

function makeTable(now = () => NOW): WorkTable {
  return new WorkTable({ now, sameId: (id) => id })
}

/** The same numbers each time. */
function makeRandom(): (below: number) => number {
  let state = 42
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

const byIndex = (a: UnfinishedRow, b: UnfinishedRow): number => a.index - b.index

test('after many rows came, changed and went, exactly those that should be are here', () => {
  const random = makeRandom()
  const table = makeTable()
  const sessions = Array.from({ length: 40 }, (_, n) => `s${n}`)
  const expected = new Map(sessions.map((id) => [id, new Map<number, UnfinishedRow>()]))
  for (let step = 0; step < 60_000; step += 1) {
    const id = sessions[random(sessions.length)]!
    const index = 1 + random(400)
    if (random(3) === 0) {
      table.remove(makeRow(id, index))
      expected.get(id)?.delete(index)
    } else {
      const failedAt = random(4) === 0 ? random(1000) : null
      const row = makeRow(id, index, { failedAt, lane: `lane ${random(5)}`, rowid: null })
      table.put([row])
      expected.get(id)?.set(index, row)
    }
  }
  for (const [id, rows] of expected) {
    const wanted = [...rows.values()].toSorted(byIndex)
    expect(table.rowsOf(id).toSorted(byIndex)).toStrictEqual(wanted)
    expect(table.sessionIndexes(id)).toStrictEqual(wanted.map(({ index }) => index))
    for (let lane = 0; lane < 6; lane += 1) {
      const inLane = wanted.filter((row) => row.lane === `lane ${lane}`)
      expect(table.laneIndexes(id, `lane ${lane}`)).toStrictEqual(inLane.map(({ index }) => index))
    }
    const dead = wanted.filter(({ failedAt }) => failedAt !== null).length
    expect(table.countsOf(id)).toMatchObject({ dead, ready: wanted.length - dead })
  }
  const all = [...expected.values()].flatMap((rows) => [...rows.values()])
  expect(table.rowsBetween(0, table.rowsEnd)).toHaveLength(all.length)
  expect(table.countDead()).toBe(all.filter(({ failedAt }) => failedAt !== null).length)
})

test('indexes that are no small whole numbers are told apart', () => {
  const table = makeTable()
  const indexes = [-1, 0, 0.5, 1, 2 ** 32 + 1, 2 ** 53, 1e300]
  table.put(indexes.map((index) => makeRow('s', index)))
  table.remove(makeRow('s', 2 ** 32 + 1))
  expect(table.rowsOf('s').map(({ index }) => index)).toHaveLength(indexes.length - 1)
  expect(table.sessionIndexes('s')).toStrictEqual([0.5, 1, 2 ** 53, 1e300])
})

test('dead letters are listed newest failure first, without those that are cleared', () => {
  const table = makeTable()
  table.put([
    makeRow('a', 3, { failedAt: 10 }),
    makeRow('a', 9, { failedAt: 30, lane: 'x' }),
    makeRow('b', 5, { failedAt: 30 }),
    makeRow('b', 7),
  ])
  table.setClearIndex('a', 3)
  const list = table.dead()
  expect(list.slice(0, 10)).toStrictEqual([
    { sessionId: 'a', index: 9, lane: 'x' },
    { sessionId: 'b', index: 5, lane: null },
  ])
  table.remove(makeRow('a', 9))
  expect(table.dead().slice(0, 10)).toStrictEqual([{ sessionId: 'b', index: 5, lane: null }])
  // What was shown to someone stays.
  expect(list.length).toBe(2)
})

test('a claim that expires counts as expired from then on', () => {
  let now = NOW
  const table = makeTable(() => now)
  table.put([makeRow('s', 1, { claimExpiresAt: NOW + 10 })])
  expect(table.countsOf('s')).toMatchObject({ running: 1, expired: 0 })
  now += 10
  expect(table.countsOf('s')).toMatchObject({ running: 0, expired: 1 })
})

test('what a pass did not see is forgotten; a session without rows leaves nothing to the next one', () => {
  const table = makeTable()
  table.put([makeRow('a', 1), makeRow('a', 2), makeRow('b', 1, { failedAt: 5 })])
  table.setClearIndex('b', 7)
  table.beginPass()
  table.put([makeRow('a', 2)])
  expect(table.unseenBetween(0, table.rowsEnd).map(({ sessionId }) => sessionId)).toStrictEqual([
    'a',
    'b',
  ])
  table.keepSeen()
  expect(table.rowsOf('a').map(({ index }) => index)).toStrictEqual([2])
  table.setClearIndex('b', 7)
  expect(table.has('b')).toBe(false)
  table.put([makeRow('c', 3)])
  expect(table.countsOf('c')).toMatchObject({ ready: 1, dead: 0 })
})

test('the events of a lane are those of now, however often they were asked for', () => {
  const table = makeTable()
  const inLane = (session = 'a') => table.laneIndexes(session, 'l')
  expect(inLane()).toStrictEqual([])
  const rows = [7, 3, 9].map((index) => makeRow('a', index, { lane: 'l' }))
  table.put([
    ...rows,
    makeRow('a', 4, { lane: 'other' }),
    makeRow('a', 5),
    makeRow('b', 1, { lane: 'l' }),
  ])
  expect([inLane(), inLane(), inLane('b')]).toStrictEqual([[3, 7, 9], [3, 7, 9], [1]])
  table.put([makeRow('a', 1, { lane: 'l' })])
  expect(inLane()).toStrictEqual([1, 3, 7, 9])
  table.put([makeRow('a', 7, { lane: 'other' })])
  expect([inLane(), table.laneIndexes('a', 'other')]).toStrictEqual([
    [1, 3, 9],
    [4, 7],
  ])
  table.remove(makeRow('a', 9))
  expect(inLane()).toStrictEqual([1, 3])
  table.setClearIndex('a', 1)
  expect(inLane()).toStrictEqual([3])
  table.beginPass()
  table.put([makeRow('b', 1, { lane: 'l' })])
  table.keepSeen()
  expect([inLane(), inLane('b')]).toStrictEqual([[], [1]])
  // The number of a session that is gone becomes another one's.
  table.setClearIndex('a', 1)
  table.put([makeRow('c', 2, { lane: 'l' })])
  expect([inLane(), inLane('c')]).toStrictEqual([[], [2]])
})
