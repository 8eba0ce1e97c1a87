import { expect, test } from 'vitest'

import { toSnippetParts } from '../../renderer/features/search/snippet-parts.ts'

const snippet = (text: string, matches: [number, number][]) => ({
  text,
  matches,
  isCutBefore: false,
  isCutAfter: false,
})

test('parts are in order, and what cannot be seen is written out', () => {
  expect(
    toSnippetParts(
      snippet('a\nneedle\u202eb needle', [
        [2, 8],
        [11, 17],
      ]),
    ),
  ).toEqual([
    { text: 'a\\n', isMatch: false },
    { text: 'needle', isMatch: true },
    { text: '\\u202eb ', isMatch: false },
    { text: 'needle', isMatch: true },
  ])
})

test('little stands before the first match, no character of it cut in two', () => {
  const [cut, before, match, after] = toSnippetParts({
    ...snippet(`${'😟'.repeat(30)}xneedle`, [[61, 67]]),
    isCutAfter: true,
  })
  expect(cut).toEqual({ text: '…', isMatch: false })
  expect(before).toEqual({ text: `${'😟'.repeat(11)}x`, isMatch: false })
  expect(match).toEqual({ text: 'needle', isMatch: true })
  expect(after).toEqual({ text: '…', isMatch: false })
})

test('without a match it is the beginning of the text', () => {
  expect(toSnippetParts(snippet('text', []))).toEqual([{ text: 'text', isMatch: false }])
  expect(toSnippetParts({ ...snippet('', []), isCutBefore: true })).toEqual([
    { text: '…', isMatch: false },
  ])
})
