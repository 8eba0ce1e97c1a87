import { _electron } from '@playwright/test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

import { expect, SIZES, test } from './support/app.ts'
import { areRunning, findStores } from './support/processes.ts'
import type { App } from './support/app.ts'
import { environmentOf, projectFolder } from './support/workspace.ts'

test('opens no other window and stays where it is', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await expect(page).toHaveURL(/sessions/)
  const url = page.url()
  expect(await page.evaluate(() => window.open('https://127.0.0.1:9/'))).toBeNull()
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = 'https://127.0.0.1:9/'
    link.target = '_blank'
    document.body.append(link)
    link.click()
    link.target = ''
    link.click()
    location.assign('file:///etc/hostname')
    location.assign('data:text/html,x')
    link.remove()
  })
  // Locators would wait for the navigations that never finish.
  await expect
    .poll(() => page.evaluate(() => document.body.innerText.includes('chat:demo')))
    .toBe(true)
  expect(await page.evaluate(() => location.href)).toBe(url)
  expect(app.electron.windows()).toHaveLength(1)
  // A second process for its page would make each start slower.
  const types = await app.electron.evaluate(({ app: main }) =>
    main.getAppMetrics().map(({ type }) => type),
  )
  expect(types.filter((type) => type === 'Tab')).toHaveLength(1)
  const refusals = app.pageErrors.splice(0)
  expect(refusals.filter((text) => !text.startsWith('Not allowed to'))).toStrictEqual([])
})

test('is sandboxed, isolated and without Node', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  const shown = await app.electron.browserWindow(page)
  const preferences = await shown.evaluate(({ webContents }) => {
    const contents = webContents as unknown as {
      getLastWebPreferences(): Electron.WebPreferences
    }
    return contents.getLastWebPreferences()
  })
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
  })
  expect(
    await page.evaluate(() => Object.keys(Reflect.get(globalThis, 'a2')).toSorted()),
  ).toStrictEqual(['check', 'connect', 'onCommand', 'pathForFile'])
  const allowed = await page.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'camera', 'microphone'] as const
    const states = names.map(async (name) => {
      const { state } = await navigator.permissions.query({ name })
      return state
    })
    return Promise.all(states)
  })
  expect(new Set(allowed)).toStrictEqual(new Set(['denied']))
})

test('a second start opens in the first', async ({ app }) => {
  await app.open(app.copyDatabase('small.db'))
  const other = app.copyDatabase('legacy-016.db')
  const opened = app.electron.waitForEvent('window')
  expect(await startAgain([other], app)).toBe(0)
  const second = await opened
  await expect(second).toHaveURL(/\/d\/[\w-]{22}/)
  await expect(second.getByText('legacy-016.db').first()).toBeVisible()
  // The same file once more: its window comes to the front, no third one opens.
  expect(await startAgain([other], app)).toBe(0)
  await expect.poll(() => app.electron.windows().length).toBe(2)
})

test('keeps its place, its size and where the person was', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'), { size: SIZES.small })
  await page.getByText('chat:demo', { exact: true }).click()
  await expect(page).toHaveURL(/chat/)
  const url = page.url()
  const move = await app.electron.browserWindow(page)
  await move.evaluate((window) => window.setBounds({ x: 60, y: 70, width: 1100, height: 760 }))
  await expect.poll(() => move.evaluate((window) => window.getBounds().x)).toBe(60)
  await app.close()
  const again = await app.restart()
  await expect(again).toHaveURL(url)
  const window = await app.electron.browserWindow(again)
  const { x, y } = await window.evaluate((shown) => shown.getBounds())
  expect({ x, y }).toStrictEqual({ x: 60, y: 70 })
})

test('a crash of the store process is survived; of the program, by none of its processes', async ({
  app,
}) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await expect(page.getByText('chat:demo').first()).toBeVisible()
  const [crashed = 0, ...others] = (await findStores(app)).store
  expect(others).toStrictEqual([])
  process.kill(crashed, 'SIGKILL')
  await expect.poll(async () => (await findStores(app)).store).not.toContain(crashed)
  await page.getByText('order:ord_2026_000918', { exact: true }).click()
  await expect(page.getByText('audit.note').first()).toBeVisible()
  await expect
    .poll(() => findStores(app))
    .toMatchObject({
      store: [expect.any(Number)],
      background: [expect.any(Number)],
    })

  // Nothing outlives the program, however it ends.
  const { store, background } = await findStores(app)
  process.kill(app.electron.process().pid ?? 0, 'SIGKILL')
  await expect.poll(() => areRunning([...store, ...background])).toBe(false)
})

test('a crash of the page is survived, where the person was', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await page.getByText('chat:demo', { exact: true }).click()
  await expect(page).toHaveURL(/chat/)
  const url = page.url()
  const shown = await app.electron.browserWindow(page)
  const crashed = await shown.evaluate(({ webContents }) => webContents.getOSProcessId())
  process.kill(crashed, 'SIGKILL')
  // Playwright holds the page for gone, so the main process is asked.
  await expect
    .poll(() =>
      shown.evaluate(async ({ webContents }, before) => {
        if (webContents.getOSProcessId() === before || webContents.isLoading()) return ''
        const text: unknown = await webContents.executeJavaScript('document.body.innerText')
        return `${webContents.getURL()} ${String(text)}`
      }, crashed),
    )
    .toMatch(/chat:demo/)
  expect(await shown.evaluate(({ webContents }) => webContents.getURL())).toBe(url)
})

test('the menu opens files, recent files and windows', async ({ app }) => {
  const [first, second] = [app.copyDatabase('small.db'), app.copyDatabase('legacy-016.db')]
  const page = await app.open(first)
  await expect(page.getByText('chat:demo').first()).toBeVisible()
  const click = (id: string) =>
    app.electron.evaluate(
      ({ Menu }, item) => Menu.getApplicationMenu()?.getMenuItemById(item)?.click(),
      id,
    )

  const opened = app.electron.waitForEvent('window')
  await click('new-window')
  const other = await opened
  await expect.poll(() => new URL(other.url()).pathname).toBe('/')
  await expect(other.getByText('small.db').first()).toBeVisible()

  await app.electron.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, second)
  await click('open')
  await expect(other).toHaveURL(/\/d\/[\w-]{22}/)
  await expect(other.getByText('legacy-016.db').first()).toBeVisible()
  await expect(other.getByText('import:catalog-2026-01').first()).toBeVisible()

  const recent = await app.electron.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()
      ?.getMenuItemById('recent')
      ?.submenu?.items.map(({ label }) => label),
  )
  expect(recent).toHaveLength(2)
  expect(recent?.[0]).toContain('legacy-016.db')
  expect(recent?.[1]).toContain('small.db')

  await click('palette')
  await expect(other.getByRole('dialog')).toBeVisible()
})

test('told to end while its page still loads, it ends cleanly', async ({ app }) => {
  const electron = await _electron.launch({
    args: [projectFolder, app.copyDatabase('small.db')],
    env: environmentOf(app),
  })
  let log = ''
  electron.process().stderr?.on('data', (text: Buffer) => (log += text.toString()))
  const ended = once(electron.process(), 'exit')
  await electron.firstWindow()
  await electron.evaluate(({ app: main }) => main.quit())
  expect(await ended).toStrictEqual([0, null])
  expect(log).not.toContain('A2 Inspector:')
})

/** Starts Electron as a person would from another terminal. Returns its exit code. */
function startAgain(args: readonly string[], app: Pick<App, 'dataFolder'>): Promise<number | null> {
  const binary: unknown = createRequire(import.meta.url)('electron')
  if (typeof binary !== 'string') throw new Error('the electron package gives its path')
  const child = spawn(binary, ['--no-sandbox', projectFolder, ...args], {
    env: environmentOf(app),
    stdio: 'ignore',
  })
  return new Promise((resolve) => child.once('exit', resolve))
}
