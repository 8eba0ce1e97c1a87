import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { GROUP, openWithin, toJsonRows } from '../../renderer/features/json-view/json-rows.ts'
import type { JsonRow } from '../../renderer/features/json-view/json-rows.ts'
import { toChunks } from '../../renderer/features/json-view/raw-chunks.ts'
import { toLines, toOneLine } from '../../renderer/lib/visible-text.ts'
import { parseJsonText, rawText } from '../../src/model/json-text.ts'

function kinds(rows: readonly JsonRow[]): string[] {
  return rows.map((row) => `${row.kind}@${row.depth}`)
}

describe('rows of a JSON tree', () => {
  const document = parseJsonText('{"a":[1,{"b":2}],"c":"x"}')

  it('is one closed line at first', () => {
    expect(kinds(toJsonRows(document, new Set()))).toEqual(['value@0'])
  })

  it('shows the children of what is open and closes it behind them', () => {
    expect(kinds(toJsonRows(document, new Set([0, 1])))).toEqual([
      'open@0',
      'open@1',
      'value@2',
      'value@2',
      'close@1',
      'value@1',
      'close@0',
    ])
  })

  it('opens level by level within the budget', () => {
    expect(openWithin(document, 100)).toEqual(new Set([0, 1, 3]))
    expect(openWithin(document, 5)).toEqual(new Set([0]))
  })

  it('ends where the text stops being JSON, without closing what was open', () => {
    const broken = parseJsonText('{"a":[1],"b":[2, oops')
    expect(kinds(toJsonRows(broken, new Set([0, 3])))).toEqual([
      'open@0',
      'value@1',
      'open@1',
      'value@2',
      'rest@2',
    ])
    expect(kinds(toJsonRows(parseJsonText('[1] x'), new Set()))).toEqual(['value@0', 'rest@0'])
  })

  it('groups the children of a large list, and the groups of a huge one', () => {
    const list = parseJsonText(`[${Array.from({ length: GROUP * GROUP + 1 }, () => 0).join()}]`)
    const rows = toJsonRows(list, new Set([0]))
    expect(rows).toHaveLength(2 + 2)
    expect(rows[1]).toMatchObject({ kind: 'group', from: 0, to: GROUP * GROUP - 1 })
    expect(rows[2]).toMatchObject({ kind: 'group', from: GROUP * GROUP, to: GROUP * GROUP })
    const opened = toJsonRows(list, new Set([0, `0:0:${GROUP * GROUP - 1}`, '0:500:999']))
    expect(opened).toHaveLength(2 + 2 + GROUP + GROUP)
  })

  it('opens 10,000 levels without recursion', () => {
    const deep = parseJsonText('['.repeat(10_000) + ']'.repeat(10_000))
    const all = new Set(Array.from({ length: 9_999 }, (_, node) => node))
    expect(toJsonRows(deep, all)).toHaveLength(2 * 9_999 + 1)
  })

  it('cuts a long string into pieces that cover it', () => {
    const text = `"${'ab\\n😀'.repeat(3_000)}"`
    const long = parseJsonText(text)
    const pieces = toJsonRows(long, new Set([0])).filter((row) => row.kind === 'text')
    expect(pieces.map((row) => text.slice(row.at, row.end)).join('')).toBe(
      rawText(long, 0).slice(1, -1),
    )
    expect(pieces.length).toBeGreaterThan(5)
  })
})

describe('raw pieces', () => {
  it('cover any text in order and never split a pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '😀'), maxLength: 9_000 }),
        (text) => {
          const pieces = toChunks(text).map(({ from, to }) => text.slice(from, to))
          expect(pieces.join('')).toBe(text)
          expect(pieces.every((piece) => !/\p{Surrogate}/u.test(piece))).toBe(true)
        },
      ),
    )
  })
})

describe('visible text', () => {
  it('writes what cannot be seen as an escape', () => {
    expect(toOneLine('a\nb\t\u0000\u202e\ud800😀')).toBe('a\\nb\\t\\u0000\\u202e\\ud800😀')
    expect(toLines('a\nb\t\u0000')).toBe('a\nb\t\\u0000')
  })
})
