import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { childrenOf, isUnfinished, NODE, parseJsonText, rawKey, rawText } from './json-text.ts'
import type { JsonDocument } from './json-text.ts'
import { emptyToken, readToken, TOKEN } from './json-text-lexer.ts'
import { decodeString } from './json-text-string.ts'

/** Texts that are nearly JSON: the alphabet of JSON, so that many are valid and many break late. */
const nearlyJson = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...Array.from('{}[]:,"\\ \n10-+.eEunlltrfasbd\u0007\u00a0é')),
  }),
  fc
    .json()
    .chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.constantFrom('', ',', '}', ']', '"', '0', 'x', ' ', '\\'))
        .map(([at, put]) => text.slice(0, at) + put + text.slice(at + 1)),
    ),
)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Builds the value bottom-up, without recursion: children have higher numbers than their parent. */
function toValue(document: JsonDocument): unknown {
  const values: unknown[] = []
  for (let node = document.size - 1; node >= 0; node -= 1) {
    const children = [...childrenOf(document, node)]
    if (document.kind[node] === NODE.array) values[node] = children.map((child) => values[child])
    else if (document.kind[node] === NODE.object) {
      const entries = children.map(
        (child) => [decodeString(rawKey(document, child) ?? ''), values[child]] as const,
      )
      values[node] = Object.fromEntries(entries)
    } else values[node] = JSON.parse(rawText(document, node))
  }
  return values[0]
}

describe('tokens', () => {
  it('cover any text without a gap or an overlap', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string({ unit: 'binary' })), (text) => {
        const token = emptyToken()
        let joined = ''
        for (;;) {
          readToken(text, token.end, token)
          if (token.kind === TOKEN.end) break
          expect(token.end).toBeGreaterThan(token.start)
          joined += text.slice(token.start, token.end)
        }
        expect(joined).toBe(text)
      }),
    )
  })
})

describe('parseJsonText', () => {
  it('finds a problem exactly where JSON.parse refuses the text', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        expect(parseJsonText(text).problem === null).toBe(isJson(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('has the structure of JSON.parse where that is lossless', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(toValue(parseJsonText(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps numbers, key order and duplicate keys as they are written', () => {
    const document = parseJsonText('{"b":1005254182451511297,"a":1e400,"b":-0,"c":[1.0,1E+2]}')
    const members = [...childrenOf(document, 0)].map((node) => [
      rawKey(document, node),
      rawText(document, node),
    ])
    expect(members).toEqual([
      ['"b"', '1005254182451511297'],
      ['"a"', '1e400'],
      ['"b"', '-0'],
      ['"c"', '[1.0,1E+2]'],
    ])
  })

  it('counts children, not descendants', () => {
    const document = parseJsonText(' [ {"x":[1,2,3]}, [], {} ] ')
    expect(document.count[0]).toBe(3)
    expect([...childrenOf(document, 0)].map((node) => rawText(document, node))).toEqual([
      '{"x":[1,2,3]}',
      '[]',
      '{}',
    ])
  })

  it('keeps what stood before the problem', () => {
    const document = parseJsonText('{"a":1,"b":[true,nul')
    expect(document.problem?.offset).toBe(17)
    expect([...childrenOf(document, 0)].map((node) => rawText(document, node))).toEqual([
      '1',
      '[true,',
    ])
  })

  it('knows what was open at the problem and where the rest begins', () => {
    const cut = parseJsonText('{"a":[[1]],"b":[[2]')
    expect(Array.from({ length: cut.size }, (_, node) => isUnfinished(cut, node))).toEqual([
      true, // {
      false, // [[1]]
      false, // [1]
      false, // 1
      true, // [[2]
      false, // [2]
      false, // 2
    ])
    expect(cut.text.slice(cut.rest)).toBe('')
    const key = parseJsonText('{"a":1, "b" : "the text ends he')
    expect(key.text.slice(key.rest)).toBe('"b" : "the text ends he')
    const closed = parseJsonText('[1] x')
    expect(isUnfinished(closed, 0)).toBe(false)
    expect(closed.text.slice(closed.rest)).toBe(' x')
  })

  it.each([
    ['', 0],
    ['  ', 2],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a":1}}', 7],
    ['{1:2}', 1],
    ['01', 1],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['-', 1],
    ['1.e3', 2],
    ['[1}', 2],
    ['\uFEFF1', 0],
  ])('says where %j breaks', (text, offset) => {
    expect(parseJsonText(text).problem?.offset).toBe(offset)
  })

  it('reads 100,000 levels', () => {
    const depth = 100_000
    const document = parseJsonText('['.repeat(depth) + ']'.repeat(depth))
    expect(document.problem).toBeNull()
    expect(document.size).toBe(depth)
    expect(document.parent[depth - 1]).toBe(depth - 2)
    expect(document.end[0]).toBe(2 * depth)
  })
})
