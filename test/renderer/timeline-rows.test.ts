import { describe, expect, it } from 'vitest'

import {
  headerRowOf,
  rowAt,
  rowOfIndex,
  selectableFrom,
  toTimelineRows,
} from '../../renderer/features/timeline/timeline-rows.ts'
import type { TimelineRows } from '../../renderer/features/timeline/timeline-rows.ts'
import type { IndexRange, Lifetime } from '../../src/model/lifetime.ts'
import { toLifetimes } from '../../src/model/lifetime.ts'

function lifetimesOf(
  head: number,
  markers: readonly number[],
  gone: readonly IndexRange[] = [],
): Lifetime[] {
  return toLifetimes({
    head,
    clearIndex: markers.at(-1) ?? 0,
    markers: markers.map((index) => ({ index, createdAt: index * 1000 })),
    gone,
    firstActivityAt: 0,
  })
}

function written(rows: TimelineRows): string[] {
  return Array.from({ length: rows.count }, (_, row) => {
    const line = rowAt(rows, row)
    switch (line?.kind) {
      case 'lifetime':
        return `life ${line.lifetime.number}`
      case 'event':
        return `#${line.index}`
      case 'gone':
        return `gone ${line.from}-${line.to}`
      case 'marker':
        return `marker ${line.index}`
      case undefined:
      default:
        return 'nothing'
    }
  })
}

describe('timeline rows', () => {
  it('puts the newest first and a marker below the lifetime it opens', () => {
    const rows = toTimelineRows(lifetimesOf(6, [3]), 6)
    expect(written(rows)).toEqual(['life 2', '#6', '#5', '#4', 'marker 3', 'life 1', '#2', '#1'])
  })

  it('shows a gone range as one line and a reclaimed lifetime as its header alone', () => {
    const rows = toTimelineRows(lifetimesOf(12, [4, 9], [{ from: 1, to: 6 }]), 12)
    expect(written(rows)).toEqual([
      'life 3',
      '#12',
      '#11',
      '#10',
      'marker 9',
      'life 2',
      '#8',
      '#7',
      'gone 5-6',
      'marker 4',
      'life 1',
    ])
  })

  it('has no event line for a lifetime that was just begun', () => {
    expect(written(toTimelineRows(lifetimesOf(3, [3]), 3))).toEqual([
      'life 2',
      'marker 3',
      'life 1',
      '#2',
      '#1',
    ])
  })

  it('hides everything after the shown head, a clear included', () => {
    expect(written(toTimelineRows(lifetimesOf(9, [7]), 5))).toEqual([
      'life 1',
      '#5',
      '#4',
      '#3',
      '#2',
      '#1',
    ])
  })

  it('leads from an index to its row and back', () => {
    const gone = [
      { from: 3, to: 6 },
      { from: 12, to: 15 },
    ]
    const rows = toTimelineRows(lifetimesOf(40, [10, 20, 30], gone), 40)
    for (let index = 1; index <= 40; index += 1) {
      const row = rowOfIndex(rows, index)
      const line = rowAt(rows, row ?? -1)
      const inGone = gone.some((range) => range.from <= index && index <= range.to)
      expect(line).toMatchObject(inGone ? { kind: 'gone' } : { index })
    }
    expect(rowOfIndex(rows, 0)).toBeNull()
    expect(rowOfIndex(rows, 41)).toBeNull()
  })

  it('finds an index of a reclaimed lifetime at its header', () => {
    const rows = toTimelineRows(lifetimesOf(6, [4], [{ from: 1, to: 3 }]), 6)
    expect(written(rows)).toEqual(['life 2', '#6', '#5', 'marker 4', 'life 1'])
    expect(rowOfIndex(rows, 2)).toBe(4)
  })

  it('finds headers and what can be selected', () => {
    const rows = toTimelineRows(lifetimesOf(6, [3]), 6)
    expect(headerRowOf(rows, 7)).toBe(5)
    expect(headerRowOf(rows, 2)).toBe(0)
    expect(selectableFrom(rows, 0, 1)).toEqual({ row: 1, index: 6 })
    expect(selectableFrom(rows, 5, -1)).toEqual({ row: 4, index: 3 })
    expect(selectableFrom(rows, 8, 1)).toBeNull()
  })

  it('finds a line among a million events and ten thousand lifetimes at once', () => {
    const markers = Array.from({ length: 10_000 }, (_, at) => (at + 1) * 100)
    const rows = toTimelineRows(lifetimesOf(1_000_050, markers), 1_000_050)
    // 1,000,050 indexes, of which 10,000 are markers, plus 10,001 headers.
    expect(rows.count).toBe(1_000_050 + 10_001)
    expect(rowAt(rows, rowOfIndex(rows, 123_456) ?? -1)).toMatchObject({ index: 123_456 })
  })
})
