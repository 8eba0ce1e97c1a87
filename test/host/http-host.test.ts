import { request } from 'node:http'
import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

import { startHttpHost } from '../../src/host/http-host.ts'
import { openConnections } from '../../src/inspector/connections.ts'
import { makeSampleLauncher } from '../../src/shell/sample-launcher.ts'
import { makeTempFolder } from './temp-folder.ts'

const fixture = join(import.meta.dirname, '..', 'fixtures', 'small.db')

async function setUp() {
  const root = makeTempFolder()
  const rendererFolder = join(root, 'renderer')
  mkdirSync(join(rendererFolder, 'assets'), { recursive: true })
  writeFileSync(join(rendererFolder, 'index.html'), '<title>the screens</title>')
  writeFileSync(join(rendererFolder, 'assets', 'main-abc.js'), 'the script')
  writeFileSync(join(root, 'secret.txt'), 'the secret')
  copyFileSync(fixture, join(root, 'small.db'))
  const dataFolder = join(root, 'data')
  const connections = openConnections({ dataFolder, startFolder: root })
  const host = await startHttpHost({
    port: 0,
    rendererFolder,
    connections,
    sample: makeSampleLauncher({
      path: connections.sample.path,
      fork: () => {
        throw new Error('not in this test')
      },
    }),
    info: {
      mode: 'browser',
      platform: 'linux',
      version: '0.0.0',
      canShowDialog: false,
      canOpenWindows: false,
      dataFolder,
    },
  })
  onTestFinished(() => host.close())
  const url = new URL(host.urlFor('/'))
  const { port } = url
  const token = url.searchParams.get('token') ?? ''
  const cookie = `a2-${port}=${token}`
  const { databaseId } = connections.open('small.db')
  const call = (path: string, headers: Headers = {}, body = '{}') =>
    send(port, path, {
      method: 'POST',
      headers: { cookie, origin: host.origin, 'content-type': 'application/json', ...headers },
      body,
    })
  const get = (path: string, headers: Headers = {}) =>
    send(port, path, { headers: { cookie, ...headers } })
  return { host, port, token, cookie, databaseId, call, get }
}

type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends the path as it is, dots and all, and headers that `fetch` would not allow. */
function send(
  port: string,
  path: string,
  { body, ...options }: RequestOptions & { body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { ...options, host: '127.0.0.1', port, path, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: text }),
        )
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    if (body !== undefined && !sent.hasHeader('content-length'))
      sent.setHeader('content-length', Buffer.byteLength(body))
    sent.end(body)
  })
}

test('the printed address lets a browser in once and leaves no token behind', async () => {
  const { port, token } = await setUp()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  const answer = await send(port, `/d/x?token=${token}&q=1`, {
    headers: { 'sec-fetch-site': 'none' },
  })
  expect(answer).toMatchObject({ status: 303, headers: { location: '/d/x?q=1' } })
  expect(answer.headers['set-cookie']).toStrictEqual([
    `a2-${port}=${token}; Path=/; HttpOnly; SameSite=Strict`,
  ])
})

test('followed from another site’s page, it moves on from a page of ours', async () => {
  const { port, token } = await setUp()
  const headers = { 'sec-fetch-site': 'cross-site' }
  const answer = await send(port, `/d/x?token=${token}`, { headers })
  expect(answer).toMatchObject({ status: 200, headers: { refresh: '0; url=/d/x' } })
  expect(answer.headers['set-cookie']).toHaveLength(1)
})

test.for(['//evil.example/', '/\\evil.example', '///evil.example'])(
  'the clean address stays here, whatever the path (%s)',
  async (path) => {
    const { host, port, token } = await setUp()
    const { headers } = await send(port, `${path}?token=${token}`, {})
    expect(new URL(headers.location ?? '', host.origin).origin).toBe(host.origin)
  },
)

test('without its token a kind page says which address to use', async () => {
  const { port, token, cookie } = await setUp()
  const wrong = `${token.slice(0, -2)}xx`
  const attempts = [
    send(port, '/', {}),
    send(port, `/?token=${wrong}`, {}),
    send(port, '/?token=', {}),
    send(port, '/assets/main-abc.js', {}),
    send(port, '/', { headers: { cookie: `a2-${port}=${wrong}` } }),
    send(port, '/', { headers: { cookie: `a2-1=${token}` } }),
    send(port, '/', { headers: { cookie: `x${cookie}` } }),
  ]
  for (const answer of await Promise.all(attempts)) {
    expect(answer.status).toBe(401)
    expect(answer.body).toContain('printed in the terminal')
    expect(answer.body).not.toContain('the script')
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
})

test('no call is answered without the token', async () => {
  const { host, port, databaseId } = await setUp()
  for (const path of ['/rpc/host/files', `/rpc/db/${databaseId}/facts`]) {
    const headers = { origin: host.origin, 'content-type': 'application/json' }
    expect(await send(port, path, { method: 'POST', headers, body: '{}' })).toMatchObject({
      status: 401,
    })
  }
})

test('a name that was made to point here is not answered, token or not', async () => {
  const { port, token, get, call } = await setUp()
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', '127.0.0.1:1']) {
    expect((await get('/', { host })).status).toBe(421)
    expect((await get(`/?token=${token}`, { host })).headers['set-cookie']).toBeUndefined()
    expect((await call('/rpc/host/files', { host, origin: `http://${host}` })).status).toBe(421)
  }
  expect((await get('/', { host: `localhost:${port}` })).status).toBe(200)
})

test('a call from another page is refused', async () => {
  const { host, port, call, cookie } = await setUp()
  for (const origin of [
    'http://evil.example',
    'null',
    `http://localhost:${port}`,
    `${host.origin}0`,
  ]) {
    expect((await call('/rpc/host/files', { origin })).status).toBe(403)
  }
  expect((await call('/rpc/host/files', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
  const headers = { cookie, 'content-type': 'text/plain' }
  const noOrigin = await send(port, '/rpc/host/files', { method: 'POST', headers, body: '{}' })
  expect(noOrigin.status).toBe(403)
})

test('calls are POST, files are GET', async () => {
  const { host, port, cookie, get } = await setUp()
  const spellings = ['/rpc', '/./rpc', '/x/../rpc', '//rpc', '/%2e/rpc', '/assets/%2E%2e/rpc']
  for (const path of spellings) {
    // As another site's page would ask: it is the method, not a call without an origin, that is answered.
    const refused = await get(`${path}/host/files`)
    expect([refused.status, refused.headers['content-type']]).toEqual([
      405,
      'text/html; charset=utf-8',
    ])
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const headers = { cookie, origin: host.origin }
    expect((await send(port, '/', { method, headers })).status).toBe(405)
  }
})

test('a call of our own page is answered, its own database included', async () => {
  const { call, databaseId } = await setUp()
  const files = await call('/rpc/host/files')
  expect(files.status).toBe(200)
  expect(files.body).toContain(databaseId)
  const facts = await call(`/rpc/db/${databaseId}/facts`)
  expect(facts.status).toBe(200)
  expect(facts.body).toContain('small.db')
})

test('what takes long is asked of the same database under a path of its own', async () => {
  const { call, databaseId } = await setUp()
  const wanted = {
    text: 'ticket',
    scope: 'everything',
    matchCase: false,
    sessionId: null,
    eventType: null,
    after: null,
  }
  const body = JSON.stringify({ json: wanted })
  const found = await call(`/rpc/bg/${databaseId}/search`, {}, body)
  expect(found.status).toBe(200)
  expect(found.body).toContain('support:ticket-48213')
  expect(found.body).toMatch(/"kind":"end"/)
  // Neither answers for the other, and neither for a database that was never opened here.
  for (const path of [
    `/rpc/bg/${databaseId}/facts`,
    `/rpc/db/${databaseId}/search`,
    `/rpc/bg/${'x'.repeat(22)}/search`,
    '/rpc/bg/search',
  ]) {
    expect((await call(path, {}, body)).status).toBe(404)
  }
  expect((await call(`/rpc/bg/${databaseId}/search`, { cookie: '' }, body)).status).toBe(401)
})

test('what was to be expected has a status of its own and is not logged as a defect', async () => {
  const { call, databaseId, host } = await setUp()
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => log.mockRestore())
  const ask = async (id: string, path: string, json: object) => {
    const { status, body } = await call(`/rpc/db/${id}/${path}`, {}, JSON.stringify({ json }))
    const answer = JSON.parse(body) as { json: { code: string; defined: boolean } }
    return [status, answer.json.code, answer.json.defined]
  }
  const dead = { sessionId: 'order:ord_2026_000918', index: 1, action: 'skip' }
  expect(await ask(databaseId, 'actions/redrive', dead)).toEqual([423, 'WRITING_LOCKED', true])
  const cleared = { sessionId: 'agent:research-7f3a', clearIndex: 27 }
  expect(await ask(databaseId, 'actions/reclaim', cleared)).toEqual([423, 'WRITING_LOCKED', true])
  const none = { sessionId: 'nobody' }
  expect(await ask(databaseId, 'sessions/get', none)).toEqual([404, 'NOT_FOUND', true])
  const opened = await call('/rpc/host/open', {}, '{"json":{"path":"missing.db"}}')
  const missing = (JSON.parse(opened.body) as { json: { databaseId: string } }).json.databaseId
  expect(await ask(missing, 'sessions/get', none)).toEqual([503, 'DATABASE_TROUBLE', true])
  await host.close()
  expect(log.mock.calls).toEqual([])
})

test('a database that was never opened here is not opened by an address', async () => {
  const { call } = await setUp()
  for (const id of ['AAAAAAAAAAAAAAAAAAAAAA', '..', '%2e%2e', encodeURIComponent('/etc/passwd')]) {
    expect((await call(`/rpc/db/${id}/facts`)).status).toBe(404)
  }
})

test('a body larger than any call of ours is refused before it is read', async () => {
  const { port, cookie, host, call } = await setUp()
  expect((await call('/rpc/host/files', { 'content-length': '1048577' })).status).toBe(413)
  const headers = { cookie, origin: host.origin, 'transfer-encoding': 'chunked' }
  const chunked = await send(port, '/rpc/host/files', { method: 'POST', headers })
  expect(chunked.status).toBe(413)
})

test.for([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/assets/../../secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/..%5c..%5csecret.txt',
  '/assets/..',
  '/assets/',
  '/assets/main-abc.js%00.txt',
  '//secret.txt',
  '/%',
  '/%ff',
  'secret.txt',
  '*',
])('%s leads nowhere outside the screens', async (path) => {
  const { get } = await setUp()
  const answer = await get(path)
  expect([200, 400, 404, 405]).toContain(answer.status)
  expect(answer.body).not.toContain('the secret')
})

test('a screen’s address gets the page, a file its content, a missing file a 404', async () => {
  const { get } = await setUp()
  for (const path of ['/', '/d/x', '/d/x/s/a.js', '/d/x/s/assets/b.css?q=1#h']) {
    const page = await get(path)
    expect(page).toMatchObject({ status: 200, body: '<title>the screens</title>' })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['cache-control']).toBe('no-store')
  }
  expect(await get('/assets/main-abc.js')).toMatchObject({
    body: 'the script',
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  })
  expect((await get('/assets/gone.js')).status).toBe(404)
})

test('every answer carries the headers that lock a page down, and none that opens it', async () => {
  const { get, call, port } = await setUp()
  const answers = [
    await get('/'),
    await get('/assets/gone.js'),
    await call('/rpc/host/files'),
    await send(port, '/', {}),
  ]
  for (const { headers } of answers) {
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toStrictEqual(
      [],
    )
  }
})

test('only this machine reaches it', async () => {
  const { host } = await setUp()
  expect(new URL(host.origin).hostname).toBe('127.0.0.1')
  // All of 127.0.0.0/8 is this machine, but only one address of it is listened on.
  const refused = new Promise((resolve) => {
    connect(Number(new URL(host.origin).port), '127.0.0.2').on('error', resolve)
  })
  await expect(refused).resolves.toMatchObject({ code: 'ECONNREFUSED' })
})

test('closing ends a stream that waits for news', async () => {
  const { host, databaseId, port, cookie } = await setUp()
  const ended = new Promise((resolve) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path: `/rpc/db/${databaseId}/live`,
      method: 'POST',
      headers: { cookie, origin: host.origin, 'content-type': 'application/json' },
    })
    sent.on('response', (response) => {
      expect(response.statusCode).toBe(200)
      response.on('close', resolve).resume()
      void host.close()
    })
    sent.on('error', resolve)
    const body = JSON.stringify({ json: { isVisible: true } })
    sent.setHeader('content-length', Buffer.byteLength(body))
    sent.end(body)
  })
  await ended
  await expect(fetch(host.origin)).rejects.toThrow('fetch failed')
})
