import { describe, expect, test } from 'vitest'

import { GOALS } from '../../bench/goals.ts'
import { holds } from '../../bench/measure/judge.ts'
import {
  check,
  compare,
  compareFixed,
  notMeasured,
  quantileOf,
} from '../../bench/measure/outcome.ts'
import { roundRobin } from '../../bench/measure/rounds.ts'
import { toMemoryLines } from '../../bench/memory/trend.ts'
import { readOptions } from '../../bench/options.ts'
import { toReportLines } from '../../bench/report/line.ts'
import { printTable, toMarkdownTable } from '../../bench/report/table.ts'

const LINE = { name: 'a', floor: 'b', limit: 1.5 }

describe('rounds', () => {
  test('every turn comes once a round, each round begins with another, the first does not count', async () => {
    const order: string[] = []
    const turn = (name: string) => () => order.push(name)
    const found = await roundRobin({ a: turn('a'), b: turn('b'), c: turn('c') }, 2)
    expect(order).toStrictEqual(['a', 'b', 'c', 'b', 'c', 'a', 'c', 'a', 'b'])
    expect(found).toStrictEqual({ a: [6, 8], b: [4, 9], c: [5, 7] })
  })
})

describe('comparing', () => {
  test('the ratio is the middle one of those within the rounds, not that of the middles', () => {
    expect(compare([10, 40, 90], [10, 20, 90])).toStrictEqual({
      kind: 'compared',
      unit: 'ms',
      value: { min: 10, median: 40, max: 90 },
      floor: { min: 10, median: 20, max: 90 },
      ratio: 1,
    })
  })

  test('a ratio at the limit holds, above it does not', () => {
    expect(holds(LINE, compareFixed([15], 10))).toBe(true)
    expect(holds(LINE, compareFixed([15.1], 10))).toBe(false)
    expect(holds({ ...LINE, limit: null }, check(false, ''))).toBe(false)
    expect(holds(LINE, notMeasured('no display'))).toBeNull()
  })

  test('quantiles are values that were measured', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1)
    expect(quantileOf(hundred, 0.99)).toBe(100)
    expect(quantileOf([3, 1, 2], 0.5)).toBe(2)
  })
})

describe('the table', () => {
  const goal = {
    title: 'A goal',
    sizes: ['1m' as const],
    lines: { fast: LINE, kept: { ...LINE, limit: null }, far: LINE },
    measure: () => Promise.reject(new Error('unused')),
  }
  const lines = toReportLines(3, goal, '1m', {
    fast: compareFixed([20, 30], 10),
    kept: check(true, 'sha256 the same'),
  })

  test('a line of the goal that has no figure is there all the same', () => {
    expect(lines.map(({ holds: isHeld }) => isHeld)).toStrictEqual([false, true, null])
    expect(printTable(lines)).toContain('MISSED')
    expect(printTable(lines)).toContain('not measured: no figure came of it')
  })

  test('Markdown has one row for each line', () => {
    expect(toMarkdownTable(lines).split('\n')).toHaveLength(5)
    expect(toMarkdownTable(lines)).toContain('| 3 | a | 20.0 / 30.0 / 30.0 ms | 10.0 ms | b |')
  })

  test('there are 22 goals, each with lines of its own', () => {
    expect(Object.keys(GOALS).map(Number)).toStrictEqual(
      Array.from({ length: 22 }, (_, n) => n + 1),
    )
    for (const { lines: own, sizes } of Object.values(GOALS)) {
      expect(Object.keys(own).length).toBeGreaterThan(0)
      expect(sizes).toContain('1m')
    }
    const onBoth = Object.entries(GOALS).filter(([, { sizes }]) => sizes.includes('10m'))
    expect(onBoth.map(([number]) => number)).toStrictEqual(
      expect.arrayContaining(['5', '7', '8', '12', '16', '18', '20', '21']),
    )
  })
})

describe('memory over time', () => {
  const samples = (held: (minute: number) => number) =>
    Array.from({ length: 121 }, (_, n) => ({ at: n * 5, megabytes: { Tab: held(n / 12) } }))

  test('what only rises at first does not grow', () => {
    const [line] = toMemoryLines(samples((minute) => Math.min(200, 100 + 40 * minute)))
    expect(line).toMatchObject({ name: 'Tab', max: 200, limit: 300, isGrowing: false, holds: true })
  })

  test('what rises to the end grows, by so much a minute', () => {
    const [line] = toMemoryLines(samples((minute) => 100 + 8 * minute))
    expect(line?.slope).toBeCloseTo(8)
    expect(line).toMatchObject({ isGrowing: true, holds: false })
  })

  test('what is above the limit once does not hold', () => {
    const [line] = toMemoryLines(samples((minute) => (minute === 1 ? 301 : 100)))
    expect(line).toMatchObject({ max: 301, isGrowing: false, holds: false })
  })
})

describe('options', () => {
  test('are read, and refused in words', () => {
    expect(readOptions(['--size', '10m', '--only', '5,7', '--json'])).toStrictEqual({
      size: '10m',
      only: [5, 7],
      isJson: true,
      isWritten: false,
      memoryMinutes: null,
    })
    expect(readOptions(['--memory', '--minutes', '2'])).toMatchObject({
      size: '10m',
      memoryMinutes: 2,
    })
    expect(() => readOptions(['--size', '2m'])).toThrow('--size 2m: one of 1m, 10m')
    expect(() => readOptions(['--only', 'x'])).toThrow('--only x')
  })
})
