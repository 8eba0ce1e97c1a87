import { expect, SIZES, test } from './support/app.ts'

test('opens a database at its sessions', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await expect(page).toHaveURL(/\/d\/[\w-]{22}\/sessions/)
  for (const session of ['agent:research-7f3a', 'chat:サポート-東京', 'order:ord_2026_000918']) {
    await expect(page.getByText(session).first()).toBeVisible()
  }
  expect(page.url()).not.toContain('token')
})

test('without a path the start screen opens, and offers the files of before', async ({ app }) => {
  const database = app.copyDatabase('small.db')
  await app.open(database)
  await expect(app.page.getByText('chat:demo').first()).toBeVisible()
  const page = await app.open(null)
  expect(new URL(page.url()).pathname).toBe('/')
  await expect(page.getByText('small.db').first()).toBeVisible()
})

test('has the size and the theme that were asked for', async ({ app }) => {
  for (const theme of ['light', 'dark'] as const) {
    const page = await app.open(app.copyDatabase('small.db'), { size: SIZES.small, theme })
    await expect(page.getByText('chat:demo').first()).toBeVisible()
    await expect
      .poll(() => page.evaluate(() => [innerWidth, innerHeight]))
      .toStrictEqual([1024, 700])
    await expect(page.locator('html')).toHaveCSS('color-scheme', theme)
  }
})

test('the page cannot run what is not ours', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await expect(page.getByText('chat:demo').first()).toBeVisible()
  const found = await page.evaluate(async () => {
    const refused = new Set<string>()
    const { promise: allRefused, resolve } = Promise.withResolvers<void>()
    document.addEventListener('securitypolicyviolation', (event) => {
      refused.add(event.effectiveDirective)
      if (refused.size === 5) resolve()
    })
    const script = document.createElement('script')
    script.textContent = 'document.title = "run"'
    const image = document.createElement('img')
    image.setAttribute('onerror', 'document.title = "run"')
    image.src = 'https://127.0.0.1:9/x.png'
    const frame = document.createElement('iframe')
    frame.src = 'https://127.0.0.1:9/'
    document.body.append(script, image, frame)
    const reached = await fetch('https://127.0.0.1:9/').then(
      () => true,
      () => false,
    )
    await allRefused
    for (const element of [script, image, frame]) element.remove()
    const { require: load, process: node } = globalThis as unknown as Record<string, unknown>
    return {
      title: document.title,
      refused: [...refused].toSorted(),
      reached,
      globals: [typeof load, typeof node],
    }
  })
  expect(found.title).not.toBe('run')
  expect(found.reached).toBe(false)
  expect(found.globals).toStrictEqual(['undefined', 'undefined'])
  expect(found.refused).toStrictEqual([
    'connect-src',
    'frame-src',
    'img-src',
    'script-src-attr',
    'script-src-elem',
  ])
  // The refusals are wanted, and must be the only errors.
  const refusals = app.pageErrors.splice(0)
  expect(refusals.filter((text) => !/Content Security Policy/.test(text))).toStrictEqual([])
})
