import { createORPCClient } from '@orpc/client'
import { RPCLink as FetchLink } from '@orpc/client/fetch'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import type { Page } from '@playwright/test'

import type { DatabaseClient, HostClient } from '../../../src/contract/index.ts'
import type { App } from './app.ts'

/** A second caller of the open database, past the screens: in Electron over a port of the page's own, else over HTTP. */
export async function connectDatabase({
  host,
  page,
}: Pick<App, 'host' | 'page'>): Promise<DatabaseClient> {
  const [, databaseId = ''] = /\/d\/([\w-]{22})\//.exec(page.url()) ?? []
  return host === 'electron'
    ? overPort<DatabaseClient>(page, `db:${databaseId}`)
    : overHttp(page, databaseId)
}

/** The same for the program around the screens, in a window. */
export function connectHost(page: Page): Promise<HostClient> {
  return overPort<HostClient>(page, 'host')
}

async function overHttp(page: Page, databaseId: string): Promise<DatabaseClient> {
  const { origin } = new URL(page.url())
  const cookies = await page.context().cookies(origin)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return createORPCClient(
    new FetchLink({ url: `${origin}/rpc/db/${databaseId}`, headers: { cookie, origin } }),
  )
}

let ports = 0

/** The port stays in the page; what passes through it is handed on. */
async function overPort<Client extends DatabaseClient | HostClient>(
  page: Page,
  target: string,
): Promise<Client> {
  ports += 1
  const name = `a2TestPort${ports}`
  const listeners = new Set<(event: MessageEvent) => void>()
  await page.exposeFunction(`${name}Heard`, (data: string) => {
    for (const listener of listeners) listener(new MessageEvent('message', { data }))
  })
  await page.evaluate(
    async ([asked, key]) => {
      const port = await new Promise<MessagePort>((resolve) => {
        const hear = ({ data, ports: [sent] }: MessageEvent): void => {
          if (data?.type !== 'a2:port' || data.target !== asked || sent === undefined) return
          removeEventListener('message', hear)
          resolve(sent)
        }
        addEventListener('message', hear)
        const bridge = Reflect.get(window, 'a2') as { connect(target: string): void }
        bridge.connect(asked)
      })
      const heard = Reflect.get(window, `${key}Heard`) as (data: string) => void
      port.addEventListener('message', ({ data }) => {
        heard(typeof data === 'string' ? data : JSON.stringify(data))
      })
      port.start()
      Reflect.set(window, key, port)
    },
    [target, name] as const,
  )
  let sent = Promise.resolve()
  const port = {
    addEventListener: (type: string, listener: (event: MessageEvent) => void) => {
      if (type === 'message') listeners.add(listener)
    },
    postMessage: (data: unknown) => {
      sent = sent.then(() =>
        page.evaluate(
          ([key, message]) => {
            const own = Reflect.get(window, key) as MessagePort
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
            own.postMessage(message)
          },
          [name, data] as const,
        ),
      )
    },
  }
  return createORPCClient(
    new PortLink({ port: port as Pick<MessagePort, 'addEventListener' | 'postMessage'> }),
  )
}
