import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseJsonText } from './json-text.ts'
import { pathOf } from './json-text-path.ts'
import { placeOf, prettyPrint } from './json-text-print.ts'
import { decodePiece, decodeString } from './json-text-string.ts'

describe('prettyPrint', () => {
  it('prints like JSON.stringify where that is lossless', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const compact = JSON.stringify(value)
        expect(prettyPrint(compact)).toBe(JSON.stringify(JSON.parse(compact), null, 2))
      }),
    )
  })

  it('changes nothing but space', () => {
    const text =
      '{ "n":1005254182451511297,"n":1e400,"z":-0, "s":"a \\u00e9  b", "e":[ ], "o":{ } }'
    expect(prettyPrint(text)).toBe(
      [
        '{',
        '  "n": 1005254182451511297,',
        '  "n": 1e400,',
        '  "z": -0,',
        '  "s": "a \\u00e9  b",',
        '  "e": [],',
        '  "o": {}',
        '}',
      ].join('\n'),
    )
  })

  it('leaves the text from the problem on as it is', () => {
    expect(prettyPrint('{"a":1,oops  [ 2 ]')).toBe('{\n  "a": 1,\n  oops  [ 2 ]')
  })

  it('does not drown 10,000 levels in spaces', () => {
    const printed = prettyPrint('['.repeat(10_000) + ']'.repeat(10_000))
    expect(printed.replaceAll(/\s/g, '')).toHaveLength(20_000)
    expect(printed.length).toBeLessThan(10_000_000)
  })
})

describe('decodeString', () => {
  it('means what JSON.parse says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(decodeString(JSON.stringify(value))).toBe(value)
      }),
    )
  })

  it('reads every escape', () => {
    expect(decodeString('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00\\ud800"')).toBe(
      '"\\/\b\f\n\r\té😀\ud800',
    )
  })

  it('comes in pieces that join to the whole and never split a pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '"', '😀', 'é', '\u0000') }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (value, limit, isEscaped) => {
          const raw = isEscaped ? escapeAll(value) : JSON.stringify(value)
          const pieces: string[] = []
          let at = 1
          while (at < raw.length - 1) {
            const piece = decodePiece(raw, at, raw.length - 1, limit)
            expect(hasLoneSurrogate(piece.text)).toBe(false)
            expect(piece.text.length).toBeLessThanOrEqual(limit + 1)
            pieces.push(piece.text)
            at = piece.next
          }
          expect(pieces.join('')).toBe(value)
        },
      ),
    )
  })
})

function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

function escapeAll(value: string): string {
  const escapes = Array.from(
    { length: value.length },
    (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`,
  )
  return `"${escapes.join('')}"`
}

describe('pathOf', () => {
  it('names every kind of step', () => {
    const document = parseJsonText('{"a":{"b":[0,1,2,{"weird key":7,"\\u0061":8,"":9}]}}')
    const paths = Array.from({ length: document.size }, (_, node) => pathOf(document, node))
    expect(paths).toEqual([
      '$',
      '$.a',
      '$.a.b',
      '$.a.b[0]',
      '$.a.b[1]',
      '$.a.b[2]',
      '$.a.b[3]',
      '$.a.b[3]["weird key"]',
      '$.a.b[3].a',
      '$.a.b[3][""]',
    ])
  })
})

describe('placeOf', () => {
  it('counts lines and columns from 1', () => {
    expect(placeOf('ab\ncd\n', 0)).toEqual({ line: 1, column: 1 })
    expect(placeOf('ab\ncd\n', 2)).toEqual({ line: 1, column: 3 })
    expect(placeOf('ab\ncd\n', 4)).toEqual({ line: 2, column: 2 })
    expect(placeOf('ab\ncd\n', 6)).toEqual({ line: 3, column: 1 })
  })
})
