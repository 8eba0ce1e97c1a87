import { assert, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  parseSearch,
  readAuditSearch,
  readDeadSearch,
  readFindSearch,
  readSessionsSearch,
  stringifySearch,
} from '../../renderer/routes/search.ts'

const DEFAULTS = { tab: 'timeline', sort: 'activity', dir: 'desc', q: '', chips: [] }

describe('session ids in the address', () => {
  test.each(['', '.', '..', '/', 'a\0b', 'a b+c%20&s=x', 'مرحبا', '👩‍👩‍👧‍👦', 'x'.repeat(4000)])(
    '%j survives',
    (id) => {
      const address = stringifySearch({ ...DEFAULTS, s: id })
      expect(readSessionsSearch(parseSearch(address)).s).toBe(id)
    },
  )

  test('any text survives', () => {
    assert(
      property(string({ unit: 'grapheme' }), (id) => {
        expect(readSessionsSearch(parseSearch(stringifySearch({ s: id }))).s).toBe(id)
      }),
    )
  })

  test('the empty id is a session, a missing one is none', () => {
    expect(readSessionsSearch(parseSearch('?s=')).s).toBe('')
    expect(readSessionsSearch(parseSearch('?q=x')).s).toBeUndefined()
    expect(stringifySearch({ s: '' })).toBe('?s=')
  })

  test('numbers and JSON stay texts', () => {
    expect(readSessionsSearch(parseSearch('?s=12&q=true')).s).toBe('12')
    expect(readSessionsSearch(parseSearch('?s=%7B%7D')).s).toBe('{}')
  })
})

describe('repair', () => {
  test('an empty address has the defaults', () => {
    expect(readSessionsSearch({})).toEqual(DEFAULTS)
    expect(readDeadSearch({})).toEqual({ q: '' })
    expect(readAuditSearch({})).toEqual({ scope: 'database' })
    expect(readFindSearch({})).toEqual({ q: '', in: 'payload', case: 'any', type: '' })
    expect(stringifySearch(readFindSearch({}))).toBe('')
  })

  test('a search survives the address, the session with the empty id too', () => {
    const search = readFindSearch({
      q: ' a%_ ',
      in: 'everything',
      case: 'match',
      session: '',
      type: 'x.*',
    })
    expect(search).toMatchObject({ q: ' a%_ ', in: 'everything', case: 'match', session: '' })
    expect(readFindSearch(parseSearch(stringifySearch(search)))).toEqual(search)
    const repaired = readFindSearch(parseSearch('?in=x&case=y&event=0'))
    expect(repaired).toEqual(readFindSearch({}))
  })

  test('what does not fit is replaced, the rest is kept', () => {
    const search = readSessionsSearch(
      parseSearch('?s=a&tab=x&sort=size&dir=up&event=-3&chips=dead,nope,dead,blocked&q=b'),
    )
    expect(search).toEqual({ ...DEFAULTS, s: 'a', q: 'b', chips: ['dead', 'blocked'] })
    expect(search.event).toBeUndefined()
  })

  test.each(['0', '1.5', '1e400', '9007199254740993', '', 'x', ' '])(
    'event %j is none',
    (event) => {
      expect(readSessionsSearch({ event }).event).toBeUndefined()
    },
  )

  test('an event is a number', () => {
    expect(readSessionsSearch({ event: '179' }).event).toBe(179)
  })

  test('of two equal names the first counts', () => {
    expect(parseSearch('?s=a&s=b')).toEqual({ s: 'a' })
  })
})

test('defaults are left out of the address, lists are joined', () => {
  expect(stringifySearch(DEFAULTS)).toBe('')
  expect(stringifySearch({ ...DEFAULTS, sort: 'dead', chips: ['dead', 'blocked'], event: 3 })).toBe(
    '?sort=dead&chips=dead%2Cblocked&event=3',
  )
})
