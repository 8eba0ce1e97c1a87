import { describe, expect, test } from 'vitest'

import {
  cutMiddle,
  formatAge,
  formatBytes,
  formatDuration,
  formatShortCount,
  formatTime,
  plural,
  toVisible,
} from '../../renderer/lib/format.ts'

describe('numbers', () => {
  test.each([
    [0, '0 B'],
    [86, '86 B'],
    [1023, '1023 B'],
    [1024, '1 KB'],
    [41_984, '41 KB'],
    [1_229, '1.2 KB'],
    [193_150_157, '184.2 MB'],
    [9_051_643_904, '8.43 GB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  test.each([
    [999, '999'],
    [1_000, '1k'],
    [3_999, '3.9k'],
    [12_999, '12k'],
    [1_250_000, '1.2M'],
  ])('%d is at most %s', (count, text) => expect(formatShortCount(count)).toBe(text))

  test('one is not many', () => {
    expect([plural(1, 'event'), plural(0, 'event'), plural(1_284, 'session')]).toEqual([
      '1 event',
      '0 events',
      '1,284 sessions',
    ])
  })
})

describe('times', () => {
  const now = 1_796_000_000_000
  test.each([
    [0, '0 s'],
    [-59_999, '59 s'],
    [-60_000, '1 m'],
    [-3_600_000, '1 h'],
    [-49 * 3_600_000, '2 d'],
    [-800 * 86_400_000, '2 y'],
    [900, '0 s'],
    [240_000, 'in 4 m'],
  ])('%d ms from now is %s', (offset, text) => expect(formatAge(now + offset, now)).toBe(text))

  test.each([
    [12, '12 ms'],
    [1_840, '1.84 s'],
    [21_000, '21 s'],
    [112_000, '1 m 52 s'],
    [11_100_000, '3 h 5 m'],
    [187_200_000, '2 d 4 h'],
    [-40, 'clock skew −40 ms'],
  ])('%d ms last %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  test('the offset is printed, every digit is there', () => {
    expect(formatTime(1_000_000_000_201, 'utc')).toBe('2001-09-09 01:46:40.201 +00:00')
    expect(formatTime(-1, 'utc')).toBe('1969-12-31 23:59:59.999 +00:00')
  })

  test('what no calendar holds is printed as a number', () => {
    expect(formatTime(8.64e15, 'utc')).toBe('8640000000000000')
    expect(formatTime(9e18, 'local')).toBe('9000000000000000000')
  })
})

describe('hostile texts', () => {
  test('what hides or reorders becomes visible, the empty text too', () => {
    expect(toVisible('a\0b\n\t\u007f')).toBe('a\\u0000b\\n\\t\\u007f')
    expect(toVisible('\u202Eabc\u2066\u200b')).toBe('\\u202eabc\\u2066\\u200b')
    expect(toVisible('👩‍👩‍👧‍👦 שלום')).toBe('👩‍👩‍👧‍👦 שלום')
    expect(toVisible('')).toBe('“”')
    expect(toVisible('a')).not.toBe(toVisible('a\0'))
  })

  test('both ends of a long text stay, characters are not split', () => {
    expect(cutMiddle('order-0001-suffix-a', 9)).toBe('orde…ix-a')
    expect(cutMiddle('short', 9)).toBe('short')
    const cut = cutMiddle('😀'.repeat(100), 9)
    expect(cut).toBe('😀😀😀😀…😀😀😀😀')
  })
})
