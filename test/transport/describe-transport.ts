import { ORPCError, safe } from '@orpc/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { makeEcho } from './echo-contract.ts'
import type { EchoClient } from './echo-contract.ts'

type Echo = ReturnType<typeof makeEcho>

export interface Transport {
  connect(router: Echo['router']): Promise<{
    readonly client: EchoClient
    /** The caller disappears without a word: a window that crashed, a tab that was closed. */
    vanish(): void
    close(): Promise<void>
  }>
}

/**
 * What must arrive as it was sent, whatever carries it. Not promised, so not to be sent as such: minus zero
 * (numbers of a payload are text), a property whose value is undefined, a key named `__proto__`.
 */
const VALUES: Readonly<Record<string, unknown>> = {
  'the empty text': '',
  'a million letters': 'abcdefghij'.repeat(100_000),
  'U+0000 in the middle': 'a\u0000b',
  'a lone high surrogate': 'x\ud83d',
  'a lone low surrogate': '\udc00x',
  'emoji, ZWJ sequences': '👩🏽‍🚀🏳️‍🌈',
  'right to left': 'שלום \u202e عربي',
  'line separators': '\u2028\u2029\r\n',
  'zero, negative, fraction': [0, -7, 0.1, 1e300, 5e-324],
  'the largest safe integer': Number.MAX_SAFE_INTEGER,
  'a bigint beyond it': 1005254182451511297n,
  'a negative bigint': -(2n ** 80n),
  'a date': new Date('2026-03-29T01:59:59.999Z'),
  null: null,
  undefined,
  'undefined in a list': [undefined, null, undefined],
  'keys that look like ours': { json: 1, meta: [['a']], maps: [] },
  'rows with gaps': [{ id: 'a' }, null, { id: 'a\u0000b' }],
}

export function describeTransport(name: string, transport: Transport): void {
  describe(name, () => {
    let echo: Echo
    let connection: Awaited<ReturnType<Transport['connect']>>
    beforeAll(async () => {
      echo = makeEcho()
      connection = await transport.connect(echo.router)
    })
    afterAll(async () => {
      await connection.close()
    })

    test.for(Object.entries(VALUES))('%s', async ([, value]) => {
      expect(await connection.client.echo(value)).toStrictEqual(value)
    })

    test('an error arrives with its code and its data', async () => {
      const { error } = await safe(connection.client.fail({ with: 'data' }))
      expect(error).toBeInstanceOf(ORPCError)
      expect(error).toMatchObject({
        defined: true,
        code: 'DATABASE_TROUBLE',
        data: { path: '/a/\u0000b', code: null },
      })
    })

    test('an error without data arrives with its code', async () => {
      const { error } = await safe(connection.client.fail({ with: 'no-data' }))
      expect(error).toMatchObject({ defined: true, code: 'WRITING_LOCKED' })
    })

    test('a defect says nothing of what it was', async () => {
      const { error } = await safe(connection.client.fail({ with: 'a-defect' }))
      expect(error).toMatchObject({ defined: false, code: 'INTERNAL_SERVER_ERROR' })
      expect(`${error?.message} ${JSON.stringify(error)}`).not.toContain('secret')
    })

    test('input that does not fit is refused', async () => {
      // @ts-expect-error not one of the three
      const { error } = await safe(connection.client.fail({ with: 'something else' }))
      expect(error).toMatchObject({ defined: false, code: 'BAD_REQUEST' })
    })

    test('a stream arrives in order, and its end is heard by the server', async () => {
      const seen: number[] = []
      for await (const number of await connection.client.count({ upTo: 500 })) {
        seen.push(number)
        if (number === 500) break
      }
      expect(seen).toStrictEqual(Array.from({ length: 500 }, (_, index) => index + 1))
      await vi.waitFor(() => expect(echo.streams.open).toBe(0), 10_000)
    })

    test('a stream ends when its caller aborts while it waits', async () => {
      const controller = new AbortController()
      const stream = await connection.client.count({ upTo: 1 }, { signal: controller.signal })
      expect(await stream.next()).toMatchObject({ done: false, value: 1 })
      expect(echo.streams.open).toBe(1)
      const waiting = stream.next()
      controller.abort()
      await expect(waiting).rejects.toThrow(/abort/i)
      await vi.waitFor(() => expect(echo.streams.open).toBe(0), 10_000)
    })

    test('a stream ends when its caller vanishes', async () => {
      const other = await transport.connect(echo.router)
      const stream = await other.client.count({ upTo: 1 })
      await stream.next()
      expect(echo.streams.open).toBe(1)
      stream.next().catch(() => undefined)
      other.vanish()
      await vi.waitFor(() => expect(echo.streams.open).toBe(0), 10_000)
      await other.close()
    })
  })
}
