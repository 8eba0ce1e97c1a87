import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { RPCHandler } from '@orpc/server/node'

import type { HostInfo } from '../contract/index.ts'
import type { Connections } from '../inspector/connections.ts'
import type { ConfirmCommand } from '../inspector/servers/command-guard.ts'
import { Servers } from '../inspector/servers/servers.ts'
import { NO_VAULT } from '../inspector/servers/vault.ts'
import { logDefect, logDefects } from '../shell/log-defects.ts'
import { makeHostRouter } from '../shell/host-router.ts'
import { readRendererFile, SECURITY_HEADERS } from '../shell/renderer-files.ts'
import type { SampleLauncher } from '../shell/sample-launcher.ts'
import { CannotStart } from './cannot-start.ts'
import { isCallPath, isSame, judge, judgeOrigin, toSetCookie } from './http-guard.ts'
import type { Guard } from './http-guard.ts'
import { makeOpenDatabases } from './open-databases.ts'
import type { OpenDatabases } from './open-databases.ts'
import { sendRefusal } from './refusal-page.ts'

export interface HttpHost {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** The address that lets a browser in: a path of the screens with the token. */
  urlFor(pathname: string): string
  readonly servers: Servers
  /** Ends streams, closes the databases, stops the sample. */
  close(): Promise<void>
}

interface HttpHostOptions {
  /** 0: any free one. */
  readonly port: number
  /** The built renderer, an absolute folder. */
  readonly rendererFolder: string
  readonly connections: Connections
  readonly sample: SampleLauncher
  readonly info: HostInfo
  readonly idleMs?: number
  /** Without it no program that gives a password is run, unless it was known before. */
  readonly confirmCommand?: ConfirmCommand
}

/** Serves the screens and their calls on 127.0.0.1. Rejects with CannotStart when the port is taken. */
export async function startHttpHost(options: HttpHostOptions): Promise<HttpHost> {
  const { connections, sample, info, idleMs = 60_000 } = options
  const databases = makeOpenDatabases({ connections, sample, idleMs })
  const servers = new Servers({
    connections,
    vault: NO_VAULT,
    ...(options.confirmCommand === undefined ? {} : { confirmCommand: options.confirmCommand }),
    connect: (databaseId, secrets) => databases.connect(databaseId, secrets),
    disconnect: (databaseId) => databases.disconnect(databaseId),
  })
  const hostRouter = makeHostRouter<null>({ connections, servers, sample, abilities: { info } })
  const callHost = new RPCHandler(hostRouter, { interceptors: [logDefects] })
  const server = createServer()
  const port = await listen(server, options.port)
  const guard: Guard = { port, token: randomBytes(32).toString('base64url') }
  const site = { guard, callHost, databases, rendererFolder: options.rendererFolder }
  server.on('request', (request, response) => {
    answer(site, request, response).catch((error: unknown) => {
      logDefect(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500, SECURITY_HEADERS).end()
    })
  })
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    servers,
    urlFor: (pathname) => `${origin}${pathname}?token=${guard.token}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, databases.close(), sample.stop()])
    },
  }
}

interface Site {
  readonly guard: Guard
  readonly callHost: RPCHandler<{ caller: null }>
  readonly databases: OpenDatabases
  readonly rendererFolder: string
}

async function answer(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = toUrl(request.url)
  if (url !== undefined && letIn(site.guard, url, request, response)) return
  const refusal = url === undefined ? 'wrong-method' : judge(request, url.pathname, site.guard)
  if (url === undefined || refusal !== undefined) {
    sendRefusal(response, refusal ?? 'wrong-method')
    return
  }
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
  if (isCallPath(url.pathname)) return call(site, url.pathname, request, response)
  const file = await readRendererFile(site.rendererFolder, url.pathname)
  if (file.status === 404 && url.pathname === '/favicon.ico') {
    // Browsers ask unasked and log a 404 as an error of the page.
    response.writeHead(204).end()
    return
  }
  response.writeHead(file.status, { ...file.headers, 'content-length': file.body.byteLength })
  response.end(request.method === 'HEAD' ? undefined : file.body)
}

/** The one request that carries the token in its address: it becomes a cookie and leaves the address. */
function letIn(
  guard: Guard,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const token = url.searchParams.get('token')
  if (token === null || !isSame(token, guard.token)) return false
  if (request.method !== 'GET' || judgeOrigin(request, url.pathname, guard.port) !== undefined)
    return false
  url.searchParams.delete('token')
  const clean = `${url.pathname.replace(/^\/+/, '/')}${url.search}`
  const headers = {
    ...SECURITY_HEADERS,
    'set-cookie': toSetCookie(guard),
    'cache-control': 'no-store',
  }
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'none' || site === 'same-origin') {
    response.writeHead(303, { ...headers, location: clean }).end()
    return true
  }
  // Followed from another site's page (a terminal in a browser), a redirect would be sent without the strict
  // cookie. A page of ours that moves on by itself is our own site.
  response.writeHead(200, { ...headers, refresh: `0; url=${clean}` }).end()
  return true
}

async function call(
  { callHost, databases }: Site,
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [prefix = '/rpc/host', kind, databaseId] =
    /^\/rpc\/(db|bg)\/([\w-]+)(?=\/)/.exec(pathname) ?? []
  const result =
    databaseId === undefined
      ? callHost.handle(request, response, { prefix: '/rpc/host', context: { caller: null } })
      : databases.use(databaseId, kind === 'bg' ? 'bg' : 'db', (handler) =>
          handler.handle(request, response, { prefix: toPrefix(prefix), context: {} }),
        )
  const { matched } = (await result) ?? { matched: false }
  if (!matched) response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
}

function toPrefix(path: string): `/${string}` {
  return `/${path.slice(1)}`
}

function toUrl(path: string | undefined): URL | undefined {
  // A path that begins with // would name a host.
  const safe = path?.startsWith('/') === true ? path.replace(/^\/+/, '/') : ''
  return URL.canParse(safe, 'http://127.0.0.1') ? new URL(safe, 'http://127.0.0.1') : undefined
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES'
      reject(isTaken ? new CannotStart(`Port ${port} cannot be had: ${error.code}`) : error)
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  assert(typeof address === 'object' && address !== null)
  return address.port
}
