import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'

import type { DatabaseClient, HostClient } from '../../../src/contract/index.ts'

/** A tab of the browser that keeps every answer it gets. */
export interface Visitor {
  readonly host: HostClient
  readonly database: (databaseId: string) => DatabaseClient
  /** All bodies and headers that ever came. */
  readonly answers: () => string
}

/** `url`: the address that lets a browser in. */
export function visit(url: string): Visitor {
  const { origin, port, searchParams } = new URL(url)
  const cookie = `a2-${port}=${searchParams.get('token')}`
  const got: string[] = []
  const link = (path: string) =>
    new RPCLink({
      url: `${origin}${path}`,
      headers: { cookie, origin },
      async fetch(request, init) {
        const response = await fetch(request, init)
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
        got.push(JSON.stringify([...response.headers]))
        if (isStream !== true) got.push(await response.clone().text())
        return response
      },
    })
  return {
    host: createORPCClient(link('/rpc/host')),
    database: (databaseId) => createORPCClient(link(`/rpc/db/${databaseId}`)),
    answers: () => got.join('\n'),
  }
}
