import { expect, test } from 'vitest'

import { sortNumbers } from '../../src/inspector/sort-numbers.ts'

const byTens = (a: number, b: number): number => Math.floor(a / 10) - Math.floor(b / 10)

test('numbers are sorted, and equal ones stay in their order', () => {
  const numbers = Uint32Array.of(31, 12, 45, 19, 11, 30, 2)
  expect([...sortNumbers(numbers, byTens)]).toStrictEqual([2, 12, 19, 11, 31, 30, 45])
  expect([...numbers]).toStrictEqual([31, 12, 45, 19, 11, 30, 2])
})

test.for([0, 1, 2, 3, 64, 1000, 1025])('%i numbers come out as the engine sorts them', (length) => {
  const numbers = Uint32Array.from({ length }, (_, n) => (n * 7919) % 1009)
  expect(sortNumbers(numbers, byTens)).toStrictEqual(numbers.toSorted(byTens))
})
