import { once } from 'node:events'
import { rmSync } from 'node:fs'

import { expect, test } from './support/app.ts'
import { unlockWriting } from './support/screens.ts'

test('more tabs than a browser keeps connections: those in the background give theirs back', async ({
  app,
}) => {
  const first = await app.open(app.copyDatabase('small.db'))
  await expect(first.getByText('chat:demo').first()).toBeVisible()
  // A headless browser calls every tab visible; a real one hides all but the front one of a window.
  await first.context().addInitScript(() => {
    let isHidden = true
    Object.defineProperty(document, 'visibilityState', {
      get: () => (isHidden ? 'hidden' : 'visible'),
    })
    Object.assign(globalThis, {
      bringToFront: () => {
        isHidden = false
        document.dispatchEvent(new Event('visibilitychange'))
      },
    })
  })
  const tabs = []
  for (let tab = 2; tab <= 7; tab += 1) {
    const page = await first.context().newPage()
    tabs.push(page)
    await page.goto(first.url())
    await expect(page.getByText('chat:demo').first()).toBeVisible()
  }
  const last = tabs.at(-1) ?? first
  await expect(last.getByRole('button', { name: /^Live/ })).toHaveCount(0)
  await last.evaluate(() => (globalThis as unknown as { bringToFront(): void }).bringToFront())
  await expect(last.getByRole('button', { name: /^Live/ })).toBeVisible()
})

test('a tab that cannot reach its program says how to go on, and goes on when it can', async ({
  app,
}) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await expect(page.getByText('chat:demo').first()).toBeVisible()
  await page.route('**/live', (route) => route.abort())
  await page.reload()
  const line = page.getByText('No connection to the inspector.').locator('..')
  await expect(line).toContainText('If it was ended, start it again: it then prints a new address.')
  await expect(page.getByText('chat:demo').first()).toBeVisible()
  await page.unrouteAll()
  await expect(line).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible()
  // The browser logs each call that could not be made.
  const lost = app.pageErrors.splice(0)
  expect(lost.filter((text) => !text.includes('ERR_FAILED'))).toStrictEqual([])
})

test('a program that ends is told, whatever was wrong before', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const first = await app.open(path)
  const ended = once(app.process, 'exit')
  await unlockWriting(first)
  rmSync(path)
  await expect(first.locator('.banners').getByText('No file there.')).toBeVisible()
  const second = await first.context().newPage()
  await second.goto(first.url())
  const screen = second.getByRole('alert')
  await expect(screen.getByRole('heading', { name: 'No file there' })).toBeVisible()

  app.process.kill('SIGINT')
  await ended
  const line = first.locator('.banners').locator('.banner')
  await expect(line).toContainText('No connection to the inspector.')
  await expect(line).toContainText('If it was ended, start it again')
  await expect(line).toHaveCount(1)
  await expect(first.getByRole('switch', { name: 'Writing paused: not connected' })).toBeVisible()
  await expect(
    screen.getByRole('heading', { name: 'No connection to the inspector' }),
  ).toBeVisible()
  // It is tried again, and what is shown stays: no empty shell in between.
  await second.evaluate(countShells)
  const again = screen.getByRole('button', { name: 'Try again' })
  await again.click()
  await expect(again).toBeDisabled()
  await expect(again).toBeEnabled()
  expect(await second.evaluate(() => Reflect.get(globalThis, 'shells') as number)).toBe(0)
  // A tab goes on trying; the browser logs each call that could not be made or was answered with an error.
  await first.close()
  const others = app.pageErrors.splice(0).filter((text) => !/ERR_|status of 503/.test(text))
  expect(others).toStrictEqual([])
})

/** In the page: counts in `shells` how often the frame around the screens appears. */
function countShells(): void {
  Reflect.set(globalThis, 'shells', 0)
  new MutationObserver(() => {
    if (document.querySelector('.app') === null) return
    Reflect.set(globalThis, 'shells', (Reflect.get(globalThis, 'shells') as number) + 1)
  }).observe(document.body, { childList: true, subtree: true })
}
