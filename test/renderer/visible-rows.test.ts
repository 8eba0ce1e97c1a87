import { expect, test } from 'vitest'

import { RowKeys } from '../../renderer/features/timeline/row-keys.ts'
import { toTimelineRows } from '../../renderer/features/timeline/timeline-rows.ts'
import { ROW_HEIGHT, visibleRows } from '../../renderer/features/timeline/visible-rows.ts'
import type { Lifetime } from '../../src/model/lifetime.ts'

const VIEW = { viewport: 10 * ROW_HEIGHT }

function makeLifetime(to: number, gone: Lifetime['gone'] = []): Lifetime {
  return {
    number: 1,
    isNumberLowerBound: false,
    from: 1,
    to,
    startMarker: null,
    endMarker: null,
    status: 'current',
    stored: to,
    gone,
    startedAt: null,
    endedAt: null,
  }
}

function linesOf(head: number, position: number, gone: Lifetime['gone'] = []) {
  const rows = toTimelineRows([makeLifetime(head, gone)], head)
  return visibleRows(rows, { ...VIEW, position }).lines
}

/** The key of each event after the list was drawn at each place, one after the other. */
function makeKeys() {
  const rowKeys = new RowKeys()
  return (head: number, position: number): Map<number, string> => {
    const lines = linesOf(head, position)
    const keys = rowKeys.keysOf(lines)
    rowKeys.remember(lines)
    expect(rowKeys.keysOf(lines)).toEqual(keys)
    expect(new Set(keys).size).toBe(lines.length)
    return new Map(
      lines.flatMap(({ line }, n) => (line.kind === 'event' ? [[line.index, keys[n]!]] : [])),
    )
  }
}

test('what stays in view keeps its element, whatever comes above it and wherever it is scrolled to', () => {
  const draw = makeKeys()
  let before = draw(1000, 0)
  for (const [head, position] of [
    [1001, 0],
    [1008, 0],
    [1008, 3 * ROW_HEIGHT + 11],
    [5000, 0],
    [5001, 0],
    [5001, 90],
  ] as const) {
    const after = draw(head, position)
    const kept = [...before].filter(([index]) => after.has(index))
    expect(kept.map(([index]) => after.get(index))).toEqual(kept.map(([, key]) => key))
    before = after
  }
})

test('when all of it is new, the elements are used again, and none has to move', () => {
  const draw = makeKeys()
  const before = [...draw(1000, 0).values()]
  for (const head of [1100, 1139, 5432]) expect([...draw(head, 0).values()]).toEqual(before)
  const middle = [...draw(5432, 1000 * ROW_HEIGHT).values()]
  expect([...draw(5432, 2000 * ROW_HEIGHT).values()]).toEqual(middle)
})

test('no two lines have the same element, around gaps neither', () => {
  const lines = linesOf(25, 0, [{ from: 3, to: 19 }])
  const keys = new RowKeys().keysOf(lines)
  expect(lines.some(({ line }) => line.kind === 'gone')).toBe(true)
  expect(new Set(keys).size).toBe(keys.length)
})

test('as many lines at any place, and all that are in view', () => {
  const rows = toTimelineRows([makeLifetime(1000)], 1000)
  const counts = new Set<number>()
  for (let position = 0; position < 60 * ROW_HEIGHT; position += 7) {
    const { lines } = visibleRows(rows, { ...VIEW, position })
    counts.add(lines.length)
    expect(lines[0]!.row).toBeLessThanOrEqual(Math.floor(position / ROW_HEIGHT))
    expect((lines.at(-1)!.row + 1) * ROW_HEIGHT).toBeGreaterThanOrEqual(position + VIEW.viewport)
  }
  expect([...counts]).toEqual([19])
})

test('a short list ends where it ends', () => {
  const rows = toTimelineRows([makeLifetime(3)], 3)
  expect(visibleRows(rows, { ...VIEW, position: 0 }).lines.map(({ row }) => row)).toEqual([
    0, 1, 2, 3,
  ])
})
