import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'

import { findSnippet, makeMatcher, startSnippet } from '../../src/inspector/search-text.ts'

const whole = (text: string) => ({ text, isStart: true, isEnd: true })
const ascii = (text: string) => makeMatcher({ text, matchCase: false }, 'ascii')

describe('a snippet', () => {
  it('is the whole of a short text', () => {
    expect(findSnippet(whole('one Two two'), ascii('TWO'))).toEqual({
      text: 'one Two two',
      matches: [
        [4, 7],
        [8, 11],
      ],
      isCutBefore: false,
      isCutAfter: false,
    })
  })

  it('has 60 characters before the match, and 200 in all', () => {
    const snippet = findSnippet(whole(`${'a'.repeat(100)}X${'b'.repeat(400)}`), ascii('x'))
    expect(snippet).toEqual({
      text: `${'a'.repeat(60)}X${'b'.repeat(139)}`,
      matches: [[60, 61]],
      isCutBefore: true,
      isCutAfter: true,
    })
  })

  it('uses what room there is at the end of a text', () => {
    const snippet = findSnippet(whole(`${'a'.repeat(400)}X`), ascii('x'))
    expect(snippet?.text).toBe(`${'a'.repeat(199)}X`)
    expect(snippet).toMatchObject({ isCutBefore: true, isCutAfter: false })
  })

  it('begins a match that is longer than itself', () => {
    const snippet = findSnippet(whole(`__${'x'.repeat(300)}__`), ascii('x'.repeat(300)))
    expect(snippet?.text).toBe('x'.repeat(200))
    expect(snippet?.matches).toEqual([[0, 200]])
  })

  it('cuts no character in two', () => {
    // The match stands so that both ends would fall into the middle of one.
    const text = `${'😟'.repeat(50)}_X${'😟'.repeat(150)}`
    const snippet = findSnippet(whole(text), ascii('x'))
    expect(snippet?.text.isWellFormed()).toBe(true)
    expect(text).toContain(snippet?.text)
    expect(snippet?.text.slice(...(snippet.matches[0] ?? []))).toBe('X')
  })

  it('knows letters as the database does', () => {
    const text = whole('Ärger ärger K')
    expect(findSnippet(text, ascii('ÄRGER'))?.matches).toEqual([[0, 5]])
    const unicode = makeMatcher({ text: 'ÄRGER', matchCase: false }, 'unicode')
    expect(findSnippet(text, unicode)?.matches).toHaveLength(2)
    const exact = makeMatcher({ text: 'ärger', matchCase: true }, 'ascii')
    expect(findSnippet(text, exact)?.matches).toEqual([[6, 11]])
    // The Kelvin sign is no k to SQLite.
    expect(findSnippet(whole('\u212A'), ascii('k'))).toBeNull()
  })

  it('takes every character for itself', () => {
    const odd = String.raw`a.b*c?[d](e){f}^$|\/-!%_#&~` + '\n\t\0'
    for (const folding of ['ascii', 'unicode'] as const) {
      for (const matchCase of [true, false]) {
        const matcher = makeMatcher({ text: odd, matchCase }, folding)
        expect(findSnippet(whole(`<${odd}>`), matcher)?.matches).toEqual([[1, 1 + odd.length]])
        expect(findSnippet(whole('axbbbc'), matcher)).toBeNull()
      }
    }
  })

  it('points at nothing where nothing was looked for', () => {
    expect(findSnippet(whole('text'), ascii(''))).toBeNull()
    expect(startSnippet(whole('text'), ascii(''))).toEqual({
      text: 'text',
      matches: [],
      isCutBefore: false,
      isCutAfter: false,
    })
  })

  it('is a part of any text, with the match in it', () => {
    const character = constantFrom('a', 'B', '😟', 'é', '"', '\\', '\n')
    const text = array(character, { maxLength: 400 }).map((list) => list.join(''))
    const needle = array(character, { minLength: 1, maxLength: 4 }).map((list) => list.join(''))
    assert(
      property(text, needle, text, (before, sought, after) => {
        const stored = `${before}${sought}${after}`
        const snippet = findSnippet(
          whole(stored),
          makeMatcher({ text: sought, matchCase: true }, 'ascii'),
        )!
        const first = stored.indexOf(sought)
        const [from, to] = snippet.matches[0]!
        expect(snippet.text.slice(from, to)).toBe(sought)
        expect(stored.slice(first - from, first - from + snippet.text.length)).toBe(snippet.text)
        expect(snippet.text.length).toBeLessThanOrEqual(200)
        expect(snippet.text.isWellFormed()).toBe(true)
        expect(snippet.isCutBefore).toBe(first - from > 0)
        expect(snippet.isCutAfter).toBe(first - from + snippet.text.length < stored.length)
      }),
    )
  })
})
