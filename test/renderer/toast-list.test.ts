import { expect, test } from 'vitest'

import { type ShownToast, withToast } from '../../renderer/ui/toast-list.ts'

function toast(key: number, about?: string): ShownToast {
  return { key, tone: 'normal', text: `text ${key}`, ...(about === undefined ? {} : { about }) }
}

function keysAfter(...toasts: readonly ShownToast[]): number[] {
  let shown: readonly ShownToast[] = []
  for (const one of toasts) shown = withToast(shown, one)
  return shown.map(({ key }) => key)
}

test('a later message about the same thing takes the place of the one before, and is the last', () => {
  expect(keysAfter(toast(1, 'a'), toast(2, 'b'), toast(3, 'a'))).toEqual([2, 3])
  expect(keysAfter(toast(1, 'a'), toast(2), toast(3, 'a'), toast(4, 'a'))).toEqual([2, 4])
})

test('messages about nothing in particular stand side by side', () => {
  expect(keysAfter(toast(1), toast(2), toast(3))).toEqual([1, 2, 3])
})

test('four are shown; one that replaces another pushes none out', () => {
  const four = [toast(1, 'a'), toast(2, 'b'), toast(3, 'c'), toast(4, 'd')]
  expect(keysAfter(...four, toast(5, 'b'))).toEqual([1, 3, 4, 5])
  expect(keysAfter(...four, toast(5, 'e'))).toEqual([2, 3, 4, 5])
})
