import { expect, test } from 'vitest'

import { FrozenViews } from '../../src/inspector/frozen-views.ts'

const EPOCH = 1

test('sixteen lists are kept; the one not used for longest is forgotten', () => {
  const views = new FrozenViews<readonly number[]>()
  const ids = Array.from({ length: 16 }, (_, n) => views.add([n], EPOCH))
  expect(views.find(ids[0]!, EPOCH)).toStrictEqual([0])
  const another = views.add([16], EPOCH)
  expect(views.find(ids[0]!, EPOCH)).toStrictEqual([0])
  expect(views.find(ids[1]!, EPOCH)).toBeUndefined()
  expect(views.find(another, EPOCH)).toStrictEqual([16])
})

test('of large lists fewer are kept, but always the last four', () => {
  const views = new FrozenViews<readonly number[]>()
  const large = Array.from({ length: 150_000 }, () => 0)
  const ids = Array.from({ length: 6 }, () => views.add(large, EPOCH))
  expect(ids.map((id) => views.find(id, EPOCH) !== undefined)).toStrictEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ])
})

test('a list of another file is not found', () => {
  const views = new FrozenViews<readonly number[]>()
  expect(views.find(views.add([1], EPOCH), EPOCH + 1)).toBeUndefined()
})
