import { expect, test } from 'vitest'

import { describeMoved } from '../../renderer/features/actions/describe-moved.ts'

const before = { head: 40, clearIndex: 27 }

test.each([
  [
    { head: 41, clearIndex: 27 },
    '1 event came meanwhile: #41. Nothing was cleared; what you see now includes it.',
  ],
  [
    { head: 43, clearIndex: 27 },
    '3 events came meanwhile: #41–#43. Nothing was cleared; what you see now includes them.',
  ],
  [{ head: 41, clearIndex: 41 }, 'The session was cleared meanwhile: the marker is #41.'],
  [
    { head: 42, clearIndex: 41 },
    'The session was cleared meanwhile: the marker is #41. 1 event came after it: #42.',
  ],
  [
    { head: 1_045, clearIndex: 43 },
    'The session was cleared meanwhile: the marker is #43. 1,002 events came after it: #44–#1045.',
  ],
])('what was added since is named: %o', (now, words) => {
  expect(describeMoved(before, now)).toBe(words)
})
