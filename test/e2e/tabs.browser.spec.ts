import { expect, test } from './support/app.ts'

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
