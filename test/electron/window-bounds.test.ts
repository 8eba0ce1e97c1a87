import { expect, test } from 'vitest'

import { repairBounds } from '../../electron/window-bounds.ts'

const MAIN = { x: 0, y: 25, width: 1920, height: 1055 }
const LEFT = { x: -1280, y: 0, width: 1280, height: 1024 }

test('without saved bounds: the usual size in the middle of the main screen', () => {
  expect(repairBounds(null, [MAIN])).toStrictEqual({ x: 240, y: 103, width: 1440, height: 900 })
})

test('a small screen gets a window of its size', () => {
  const small = { x: 0, y: 0, width: 1024, height: 700 }
  expect(repairBounds(null, [small])).toStrictEqual(small)
})

test.for([
  ['on the main screen', { x: 100, y: 100, width: 900, height: 700 }],
  ['on another screen', { x: -1200, y: 40, width: 900, height: 700 }],
  ['half over the right edge', { x: 1700, y: 100, width: 900, height: 700 }],
  ['half over the left edge', { x: -2000, y: 40, width: 900, height: 700 }],
  ['over the bottom edge', { x: 100, y: 900, width: 900, height: 700 }],
] as const)('a window %s stays where it is', ([, bounds]) => {
  expect(repairBounds(bounds, [MAIN, LEFT])).toStrictEqual(bounds)
})

test.for([
  ['a screen that is gone', { x: 3000, y: 100, width: 900, height: 700 }],
  ['a sliver at the right edge', { x: 1900, y: 100, width: 900, height: 700 }],
  ['a title bar above the screen', { x: 100, y: -200, width: 900, height: 700 }],
  ['a title bar below the screen', { x: 100, y: 1070, width: 900, height: 700 }],
] as const)('a window out of reach (%s) comes back to the middle', ([, bounds]) => {
  expect(repairBounds(bounds, [MAIN])).toStrictEqual({ x: 510, y: 203, width: 900, height: 700 })
})

test('a window larger than its screen is cut to it, one too small grows', () => {
  const huge = { x: 0, y: 25, width: 9000, height: 9000 }
  expect(repairBounds(huge, [MAIN])).toStrictEqual({ ...MAIN })
  const tiny = { x: 10, y: 30, width: 1, height: 1 }
  expect(repairBounds(tiny, [MAIN])).toStrictEqual({ x: 10, y: 30, width: 720, height: 480 })
})
