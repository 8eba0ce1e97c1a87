import { describe, expect, it } from 'vitest'

import { fitWords } from '../../renderer/features/sessions/fit-words.ts'

const dead = { count: '1', word: 'dead' }
const retrying = { count: '1', word: 'retrying' }
const blocked = { count: '5', word: 'blocked' }
const ready = { count: '2', word: 'ready' }

describe('words of a row of the session list', () => {
  it('has room for all of them in most rows', () => {
    expect(fitWords('12 events', [], 'life 1')).toEqual([])
    expect(fitWords('12 events', [{ count: '3', word: 'expired' }], 'life 1')).toEqual(['narrow'])
    expect(fitWords('4 events', [dead, { count: '2', word: 'blocked' }], 'life 1')).toEqual([
      'narrow',
      'narrow',
    ])
  })

  it('gives up the least urgent ones first, more of them in a narrow list', () => {
    expect(fitWords('10 events', [retrying, blocked, ready], 'life ≥ 4')).toEqual([
      'wide',
      'never',
      'never',
    ])
    expect(fitWords('7 events', [dead, retrying, blocked], 'life 1')).toEqual([
      'narrow',
      'wide',
      'never',
    ])
  })

  it('keeps to numbers where they alone fill the line', () => {
    const many = [dead, retrying, blocked].map(({ word }) => ({ count: '14,907', word }))
    expect(fitWords('1,204,331 events', many, 'life ≥ 12')).toEqual(['never', 'never', 'never'])
  })
})
