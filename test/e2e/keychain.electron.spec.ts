import { chromium, type Page } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import type { HostClient } from '../../src/contract/index.ts'
import { startGuardedServer } from '../host-postgres/support/guarded-server.ts'
import { expect, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { hasKeyring, startKeyring } from './support/keyring.ts'
import { connectHost } from './support/rpc.ts'
import { environmentOf, projectFolder } from './support/workspace.ts'

if (hasKeyring()) {
  test('a password is kept by the keychain of the system, and survives another one', async ({
    app,
  }) => {
    const server = await startGuardedServer()
    const file = join(app.dataFolder, 'secrets.json')
    try {
      const databaseId = await withKeychain(app, 'first', async (host) => {
        expect(await host.connections.vault()).toStrictEqual({
          isAvailable: true,
          backend: 'gnome_libsecret',
        })
        return (await save(host, server.url(server.password))).databaseId
      })
      const kept = readFileSync(file)
      expect(kept.toString()).not.toContain(server.password)
      expect(statSync(file).mode & 0o777).toBe(0o600)

      await withKeychain(app, 'second', async (host) => {
        expect(await host.connections.vault()).toStrictEqual({
          isAvailable: false,
          why: 'cannot-decrypt',
          backend: 'gnome_libsecret',
        })
        const opened = host.connections.open({ databaseId })
        await expect(opened).rejects.toMatchObject({ code: 'SECRET_NEEDED' })
        const more = save(host, server.url(server.password))
        await expect(more).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE' })
      })
      expect(readFileSync(file)).toStrictEqual(kept)

      await withKeychain(app, 'first', async (host) => {
        expect(await host.connections.open({ databaseId })).toMatchObject({ kind: 'connection' })
      })
    } finally {
      await server.stop()
    }
  })
}

async function save(host: HostClient, text: string) {
  const parsed = await host.connections.parse({ text })
  if (!parsed.ok || parsed.password === null) throw new Error('a URL with a password')
  const settings = { ...parsed.settings, password: { from: 'stored', id: '' } as const }
  const secrets = { password: parsed.password }
  return host.connections.save({ databaseId: null, name: 'Orders', settings, secrets })
}

/** Runs the program with the keychain of a folder. */
async function withKeychain<T>(
  app: App,
  name: string,
  act: (host: HostClient) => Promise<T>,
): Promise<T> {
  const keyring = await startKeyring(join(app.folder, name))
  const child = startElectron({ ...environmentOf(app), ...keyring.env })
  try {
    const page = await windowOf(await debuggerOf(child))
    // A port that comes while the page still waits for its own would be taken for it.
    await expect(page.getByText('or drop a file here')).toBeVisible()
    return await act(await connectHost(page))
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
    await keyring.stop()
  }
}

/** Not by way of Playwright, which chooses a keychain that encrypts nothing. */
function startElectron(env: Record<string, string>): ChildProcess {
  const binary: unknown = createRequire(import.meta.url)('electron')
  if (typeof binary !== 'string') throw new Error('the electron package gives its path')
  const switches = ['--no-sandbox', '--password-store=gnome-libsecret', '--remote-debugging-port=0']
  return spawn(binary, [...switches, projectFolder], { env, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Connecting while the window is being made can hang. */
async function windowOf(url: string): Promise<Page> {
  const { host } = new URL(url)
  const pages = async (): Promise<number> => {
    const targets = (await (await fetch(`http://${host}/json/list`)).json()) as { type: string }[]
    return targets.filter(({ type }) => type === 'page').length
  }
  await expect.poll(pages).toBe(1)
  const browser = await chromium.connectOverCDP(url)
  const page = browser.contexts()[0]?.pages()[0]
  if (page === undefined) throw new Error('no window')
  return page
}

function debuggerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [, url] = /DevTools listening on (\S+)\n/.exec(text) ?? []
      if (url !== undefined) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the program ended: ${text}`)))
  })
}
