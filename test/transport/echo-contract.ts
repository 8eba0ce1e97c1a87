import { eventIterator, oc, type } from '@orpc/contract'
import { createORPCClient } from '@orpc/client'
import type { ClientLink } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { implement } from '@orpc/server'
import { z } from 'zod'

/** The kinds of procedure that our contracts have: a value, a typed error, a stream. */
const echoContract = {
  echo: oc.input(type<unknown>()).output(type<unknown>()),
  fail: oc
    .errors({
      DATABASE_TROUBLE: { data: type<{ readonly path: string; readonly code: string | null }>() },
      WRITING_LOCKED: {},
    })
    .input(z.object({ with: z.enum(['data', 'no-data', 'a-defect']) }))
    .output(type<null>()),
  count: oc.input(z.object({ upTo: z.int() })).output(eventIterator(type<number>())),
}

export type EchoClient = ContractRouterClient<typeof echoContract>

/** A server of the contract. `open`: streams that have begun and not ended. */
export function makeEcho() {
  const echo = implement(echoContract)
  const streams = { open: 0 }
  const router = echo.router({
    echo: echo.echo.handler(({ input }) => input),
    fail: echo.fail.handler(({ input, errors }) => {
      if (input.with === 'data') {
        throw errors.DATABASE_TROUBLE({ data: { path: '/a/\u0000b', code: null } })
      }
      if (input.with === 'no-data') throw errors.WRITING_LOCKED()
      throw new Error('the secret inside')
    }),
    count: echo.count.handler(async function* ({ input, signal }) {
      streams.open += 1
      try {
        for (let number = 1; number <= input.upTo; number += 1) yield number
        // A stream that waits for news ends because its caller goes away, never by itself.
        await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      } finally {
        streams.open -= 1
      }
    }),
  })
  return { router, streams }
}

export function toEchoClient(link: ClientLink<object>): EchoClient {
  return createORPCClient(link)
}
