import { describe, expect, it } from 'vitest'

import type { SearchHit } from '../../src/model/search.ts'
import { failureOf, type BackgroundClient } from './support/open.ts'
import type { FixtureName } from './describe-reader.ts'
import { search, toMatches, toNames, toRequest, type Wanted } from './support/search.ts'

/** A database that can hold the fixtures, and in what its search differs. */
export interface SearchBackend {
  readonly name: string
  readonly open: (fixture: FixtureName) => BackgroundClient | Promise<BackgroundClient>
  /** Rows are looked at in the order of their keys; else the newest comes first. */
  readonly isKeyOrder?: boolean
}

const ORDER = 'order:ord_2026_000918'
const AGENT = 'agent:research-7f3a'
const SUPPORT = 'support:ticket-48213'
const TOKYO = 'chat:サポート-東京'

/** Read off the rows of small.db by hand: indexes of one session, newest first. */
const BY_HAND: readonly (readonly [Wanted, string, readonly number[]])[] = [
  [{ text: 'ord_2026_000917' }, SUPPORT, [12, 10, 7]],
  // The characters with which patterns are made stand for themselves.
  [{ text: '_2026_' }, SUPPORT, [12, 10, 7]],
  [{ text: '%' }, SUPPORT, []],
  [{ text: '!' }, SUPPORT, [1]],
  [{ text: '*' }, 'scheduler:daily', [2, 1]],
  [{ text: '*', matchCase: true }, 'scheduler:daily', [2, 1]],
  [{ text: '?' }, SUPPORT, [3, 1]],
  [{ text: '?', matchCase: true }, SUPPORT, [3, 1]],
  [{ text: '[1,' }, AGENT, [37, 26, 16]],
  [{ text: '[1,', matchCase: true }, AGENT, [37, 26, 16]],
  [{ text: '"cop', matchCase: true }, AGENT, []],
  [{ text: 'HEAT PUMP VENDORS' }, AGENT, [28, 18, 9]],
  [{ text: 'HEAT PUMP VENDORS', matchCase: true }, AGENT, []],
  [{ text: 'heat pump vendors', matchCase: true }, AGENT, [28, 18, 9]],
  [{ text: '😟' }, SUPPORT, [2]],
  [{ text: 'שלום' }, TOKYO, [1]],
  [{ text: '12345678901234567890' }, 'order:ord_2026_000917', [4]],
  [{ text: 'cop 1', sessionId: AGENT }, AGENT, [30, 20, 11]],
  [{ text: 'cop 1', sessionId: SUPPORT }, SUPPORT, []],
  [{ text: 'cop 1', sessionId: 'no such session' }, AGENT, []],
  [{ text: 'messages', eventType: 'llm.requested' }, SUPPORT, [9, 6, 5]],
  [{ text: 'messages', eventType: 'llm.*' }, SUPPORT, [9, 6, 5]],
  [{ text: 'messages', eventType: 'llm' }, SUPPORT, []],
  [{ text: 'cop 1', eventType: 'search.requested', sessionId: AGENT }, AGENT, [30, 20, 11]],
  [{ text: '', eventType: 'llm.usage' }, SUPPORT, [11, 8]],
  [{ text: '', eventType: 'LLM.USAGE' }, SUPPORT, []],
  [{ text: 'vies' }, ORDER, []],
  [{ text: 'vies', scope: 'everything' }, ORDER, [1]],
  [{ text: 'a\0b', scope: 'everything' }, ORDER, []],
]

/** What is found where, when everything is searched. */
const PLACES: readonly (readonly [string, SearchHit['field'], string, string[]])[] = [
  ['vies', 'error', `${ORDER} #1`, ['VIES']],
  ['tool.called', 'type', `${SUPPORT} #10`, ['tool.called']],
  ['01KERWH6S0FY9PBJ2WMDME3M0R', 'id', `${TOKYO} #1`, ['01KERWH6S0FY9PBJ2WMDME3M0R']],
  ['customer:', 'lane', `${SUPPORT} #4`, ['customer:']],
  ['scheduler:', 'session', 'scheduler:daily #4', ['scheduler:']],
  ['MUG-BLUE', 'payload', `${ORDER} #2`, ['MUG-BLUE']],
]

/** What a search must find in the fixtures, whatever the database. */
export function describeSearch({ name, open, isKeyOrder = false }: SearchBackend): void {
  describe(`${name}: search`, () => {
    it('finds what stands in the rows, and nothing else', async () => {
      const client = await open('small.db')
      for (const [wanted, sessionId, indexes] of BY_HAND) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { hits, end } = await search(client, wanted)
        const isUp = isKeyOrder && (wanted.sessionId ?? null) === null
        const expected = isUp ? indexes.toReversed() : indexes
        expect({ wanted, end, found: toNames(hits) }).toEqual({
          wanted,
          end: 'complete',
          found: expected.map((index) => `${sessionId} #${index}`),
        })
      }
    })

    it('says where the text stands', async () => {
      const client = await open('small.db')
      for (const [text, field, event, matches] of PLACES) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { hits } = await search(client, { text, scope: 'everything' })
        const hit = hits.find((one) => `${one.sessionId} #${one.index}` === event)
        expect({ text, field: hit?.field, matches: hit && toMatches(hit) }).toEqual({
          text,
          field,
          matches,
        })
      }
    })

    it('shows what is around it, and what the event is', async () => {
      const client = await open('small.db')
      const { hits, steps } = await search(client, { text: 'heat pump vendors' })
      expect(steps.at(-1)).toMatchObject({ next: null, progress: { share: 1 }, isKeyOrder })
      const [first] = isKeyOrder ? hits.toReversed() : hits
      expect(first).toMatchObject({
        sessionId: AGENT,
        index: 28,
        type: 'goal.set',
        lane: null,
        state: 'processed',
        createdAt: 1_768_213_834_800,
        field: 'payload',
        snippet: { isCutBefore: false, isCutAfter: false },
      })
      expect(JSON.parse(first!.snippet.text)).toEqual({
        lifetime: 4,
        goal: 'Compare 12 heat pump vendors',
        budget: { usd: 20, deadline: '2026-02-01' },
      })
      expect(toMatches(first!)).toEqual(['heat pump vendors'])
      expect(hits.filter(({ index }) => index < 27).map(({ state }) => state)).toEqual([
        'cleared',
        'cleared',
      ])
    })

    it('cuts a long payload around the match, character by character', async () => {
      const client = await open('small.db')
      const [hit] = (await search(client, { text: 'c0ffeebeef' })).hits
      expect(hit).toMatchObject({ index: 2, snippet: { isCutBefore: true, isCutAfter: false } })
      expect(hit?.snippet.text.length).toBeLessThanOrEqual(200)
      expect(hit?.snippet.text.endsWith('c0ffeebeef"}]}')).toBe(true)
      const { hits } = await search(client, {
        text: 'sku;title',
        sessionId: 'import:catalog-2026-01',
      })
      expect(hits.map(({ index }) => index)).toEqual([403])
      const [{ snippet }] = hits as [SearchHit]
      expect(snippet.isCutAfter).toBe(true)
      expect(toMatches(hits[0]!).length).toBeGreaterThan(3)
      // The last one may be cut with the text.
      for (const match of toMatches(hits[0]!)) expect('sku;title').toContain(match)
      expect(snippet.text.length).toBeLessThanOrEqual(200)
    })

    it('goes on where it stopped, and finds each event once', async () => {
      const client = await open('small.db')
      const whole = await search(client, { text: '"row"' })
      expect(new Set(toNames(whole.hits)).size).toBe(145)
      expect(whole.hits).toHaveLength(145)
      const first = await search(client, { text: '"row"' }, () => true)
      const rest =
        first.next === null ? [] : (await search(client, { text: '"row"', after: first.next })).hits
      expect(toNames([...first.hits, ...rest])).toEqual(toNames(whole.hits))
    })

    it('refuses a search for nothing', async () => {
      const client = await open('small.db')
      expect(await failureOf(client.search(toRequest({ text: '' })))).toMatchObject({
        code: 'BAD_REQUEST',
      })
      expect(await failureOf(client.search(toRequest({ text: '\uD800' })))).toMatchObject({
        code: 'BAD_REQUEST',
      })
    })

    it('searches a database without a table of clears', async () => {
      const client = await open('legacy-016.db')
      const { hits, end } = await search(client, { text: 'HTTP 429', scope: 'everything' })
      expect(toNames(isKeyOrder ? hits.toReversed() : hits)).toEqual([
        `${AGENT} #15`,
        `${AGENT} #6`,
        `${AGENT} #3`,
      ])
      expect(new Set(hits.map(({ state }) => state))).toEqual(new Set(['dead']))
      expect(end).toBe('complete')
    })
  })
}
