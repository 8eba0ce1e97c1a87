import type { Locator, Page } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { makeUglyDatabase, UGLY_IDS, UGLY_PAYLOADS } from '../support/ugly-database.ts'
import { expect, SIZES, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { findCut } from './support/look.ts'
import { openSession, screens, settle } from './support/screens.ts'

const NOW = Date.UTC(2026, 10, 30, 9)
const SESSIONS = 10_000
const LONGEST = 12_000
/** The ordinary ones, `payloads`, `import:longest` and the ugly ids. */
const ALL_SESSIONS = SESSIONS + 2 + Object.keys(UGLY_IDS).length

/** How each id has to be read in the list, and in the heading where that differs. */
const SHOWN: Record<keyof typeof UGLY_IDS, { readonly row: RegExp; readonly heading?: RegExp }> = {
  empty: { row: /^“”$/, heading: /^“” \(the empty id\)$/ },
  nul: { row: /^a\\u0000b$/ },
  beforeNul: { row: /^a$/ },
  long: { row: /^long:x{20,}…x{20,}!$/ },
  emoji: { row: /^chat:🙏👩‍👩‍👧‍👦🇵🇹$/u },
  rtl: { row: /^צ׳אט:שלום עולם$/ },
  markup: { row: /^<img src=x onerror=alert\(1\)>$/ },
  dots: { row: /^\.\.$/ },
  dot: { row: /^\.$/ },
  query: { row: /^a\?b=c&d#e%20f\/g\\h$/ },
  controls: { row: /^line\\nbreak\\ttab\\u202eoverride$/ },
}

let folder: string
let big: string
let small: string

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'a2-ugly-'))
  big = join(folder, 'big.db')
  small = join(folder, 'small.db')
  await makeUglyDatabase(big, { sessions: SESSIONS, longest: LONGEST, now: NOW })
  await makeUglyDatabase(small, { sessions: 0, longest: 1, now: NOW })
})

test.afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

async function open(app: App, path: string): Promise<Page> {
  const page = await app.open(path)
  page.on('dialog', (dialog) => app.pageErrors.push(`dialog: ${dialog.message()}`))
  await settle(page)
  return page
}

test('10,000 sessions: the list and a long session are at their ends at once', async ({ app }) => {
  const page = await open(app, big)
  const rows = page.getByRole('option')
  await expect(rows.first()).toHaveAttribute('aria-setsize', String(ALL_SESSIONS))
  await expect(page.getByRole('button', { name: 'Dead 200' })).toBeVisible()

  await screens.sessions(page).focus()
  await page.keyboard.press('End')
  const last = screens.session(page, 'order:2026-11-10-09999')
  await expect(last).toBeVisible()
  await expect(last).toHaveAttribute('aria-posinset', String(ALL_SESSIONS))
  await page.keyboard.press('Home')
  await expect(screens.session(page, 'import:longest')).toBeVisible()
  await screens.sessions(page).evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await expect(last).toBeVisible()
  expect(await rows.count()).toBeLessThan(60)

  await page.getByRole('searchbox').fill('longest')
  await openSession(page, 'import:longest')
  await expect(screens.event(page, LONGEST)).toBeVisible()
  await screens.timeline(page).focus()
  await page.keyboard.press('End')
  await expect(screens.event(page, 1)).toContainText('{"row":1}')
  await page.keyboard.press('Home')
  await expect(screens.event(page, LONGEST)).toContainText(`{"row":${LONGEST}}`)
  expect(await page.getByRole('row').count()).toBeLessThan(80)
})

test('a hostile error text stays text', async ({ app }) => {
  const page = await open(app, big)
  await page.keyboard.press('2')
  const list = screens.deadLetters(page)
  await expect(list.getByText('<b>not bold</b>').first()).toBeVisible()
  await list.getByRole('row').nth(1).click()
  await expect(screens.details(page).locator('pre')).toContainText('<b>not bold</b>')
  await expect(page.locator('b').filter({ hasText: 'not bold' })).toHaveCount(0)
})

test('every id is a row of its own, opens, is text, and survives a reload', async ({ app }) => {
  test.slow()
  const page = await open(app, small)
  await expect(page.getByRole('option')).toHaveCount(2 + Object.keys(UGLY_IDS).length)
  for (const [name, { row, heading }] of Object.entries(SHOWN)) {
    await test.step(name, async () => {
      const id = UGLY_IDS[name as keyof typeof UGLY_IDS]
      const item = page
        .getByRole('option')
        .filter({ has: page.locator('.session-id').filter({ hasText: row }) })
      await expect(item).toHaveCount(1)
      await item.click()
      const title = page.getByRole('heading', { level: 2 })
      await expect(title).toHaveText(heading ?? row)
      await expect(item).toHaveAttribute('aria-selected', 'true')
      await expect(page.getByRole('option', { selected: true })).toHaveCount(1)
      await expect(screens.event(page, 1)).toContainText('ugly.id')
      expect(new URL(page.url()).searchParams.get('s')).toBe(id)
      await page.reload()
      await expect(title).toHaveText(heading ?? row)
      await expect(screens.event(page, 1)).toContainText('ugly.id')
      await expect(item).toHaveAttribute('aria-selected', 'true')
      for (const text of [item.locator('.session-id'), title]) await expectIsolated(text)
    })
  }
  await expect(page.locator('img, script:not([src])')).toHaveCount(0)
})

test('an id of 4,000 characters breaks neither the layout nor the title', async ({ app }) => {
  const page = await open(app, small)
  await page.getByRole('option').filter({ hasText: 'long:xxx' }).click()
  await expect(page.getByRole('heading', { level: 2 })).toContainText('long:xxx')
  await expect(page).toHaveTitle(/^long:x+…x+! · .*small\.db · A2 Inspector$/)
  expect((await page.title()).length).toBeLessThan(150)
  await page.getByRole('button', { name: 'Clear…' }).click()
  await page.getByRole('button', { name: /^Unlock and/ }).click()
  await expect(page.getByRole('button', { name: 'Clear 1 event' })).toBeVisible()
  await expectNothingCut(app)
  await page.keyboard.press('Escape')
  await screens.event(page, 1).click()
  await expect(screens.details(page).getByText('ugly.id').first()).toBeVisible()
  await expectNothingCut(app)
  await app.resize(SIZES.usual)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('long:')
  await expect(page.getByRole('dialog').getByRole('option').first()).toContainText('long:xxx')
  await expectNothingCut(app)
})

test('digits, key order and duplicate keys are kept in the tree, in the text and in the copy', async ({
  app,
}) => {
  const page = await openPayload(app, 1)
  const stored = UGLY_PAYLOADS[0] ?? ''
  const details = screens.details(page)
  const lines = details.getByRole('tree').locator('.json-line')
  await expect(lines).toHaveText([
    /^\{$/,
    /^"big": 1005254182451511297,$/,
    /^"huge": 1e400,$/,
    /^"minusZero": -0,$/,
    /^"precise": 0\.1000000000000000055511151231257827$/,
    /^\}$/,
  ])
  // The machine has one clipboard, and other windows may use it at the same moment.
  await expect(async () => {
    await details
      .getByRole('button', { name: /Copy as stored|Copied/ })
      .first()
      .click()
    expect(await readClipboard(app)).toBe(stored)
  }).toPass()
  await details.getByRole('button', { name: 'Raw' }).click()
  await expect(details.getByRole('region', { name: 'Payload, as stored' })).toHaveText(stored)

  await screens.event(page, 2).click()
  await details.getByRole('button', { name: 'Tree' }).click()
  await expect(lines).toHaveText([
    /^\{$/,
    /^"twice": 1,$/,
    /^"twice": 2,$/,
    /^"z": 0,$/,
    /^"a": 1$/,
    /^\}$/,
  ])
})

test('10,000 levels open one by one', async ({ app }) => {
  const page = await openPayload(app, 3)
  const tree = screens.details(page).getByRole('tree')
  const closed = tree.locator('[role=treeitem][aria-expanded=false]')
  const levels = () => closed.getAttribute('aria-level').then(Number)
  await expect(tree.getByRole('treeitem').first()).toBeVisible()
  // Open at first are as many levels as fit; the innermost stands in the middle.
  await tree.evaluate((element) =>
    element.scrollTo(0, (element.scrollHeight - element.clientHeight) / 2),
  )
  const first = await levels()
  expect(first).toBeGreaterThan(10)
  for (let step = 1; step <= 3; step += 1) {
    await closed.click({ position: { x: 160, y: 8 } })
    await expect.poll(levels).toBe(first + step)
  }
  expect(await tree.locator('.json-line').count()).toBeLessThan(200)
})

test('5 MB load on demand while the page answers', async ({ app }) => {
  const page = await openPayload(app, 4)
  const details = screens.details(page)
  await expect(details.getByText('Showing the first 256 KB.')).toBeVisible()
  await details.getByRole('button', { name: 'Load all 5 MB' }).click()
  await details.getByRole('button', { name: 'Raw' }).click()
  await expect(details.getByRole('region', { name: 'Payload, as stored' })).toContainText('{"five"')
  await screens.event(page, 2).click()
  await expect(details.getByText('"twice"').first()).toBeVisible()

  await screens.event(page, 4).click()
  await details.getByRole('button', { name: 'Load all 5 MB' }).click()
  await expect(details.getByRole('button', { name: 'Copy as stored' }).first()).toBeVisible()
  await expect(details.getByText('show all 5,242,880 characters')).toBeVisible()
  await details.getByRole('button', { name: 'Raw' }).click()
  const raw = details.getByRole('region', { name: 'Payload, as stored' })
  await raw.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(raw).toContainText(/m"\}$/)
  expect(await raw.locator('pre').count()).toBeLessThan(20)
})

test('markup, directions, broken JSON, lone surrogates and NUL are shown as what they are', async ({
  app,
}) => {
  const page = await openPayload(app, 5)
  const details = screens.details(page)
  const tree = details.getByRole('tree')
  await expect(tree).toContainText('"<script>alert(1)</script><b>bold</b>"')
  await expect(tree).toContainText('"\\u202eשלום"')
  await expect(tree).toContainText('"👩‍👩‍👧‍👦"')
  await expect(page.locator('script:not([src])')).toHaveCount(0)
  await expectIsolated(tree.getByText('שלום'))

  await screens.event(page, 6).click()
  await expect(details.getByText('Not valid JSON, character 2')).toBeVisible()
  await expect(details).toContainText('{not json at all')

  await screens.event(page, 7).click()
  await expect(tree).toContainText('"\\ud800 lone surrogate, \\u0000 nul"')

  await screens.event(page, 8).click()
  await expect(tree).toHaveText('null')
  await screens.event(page, 9).click()
  await expect(tree).toHaveText('""')

  await screens.event(page, 10).click()
  await tree.getByText('5,000 items').click()
  await expect(tree).toContainText('[0 … 499]')
  await expect(tree).toContainText('[4,500 … 4,999]')
})

async function openPayload(app: App, index: number): Promise<Page> {
  const page = await open(app, small)
  await openSession(page, 'payloads')
  await screens.event(page, index).click()
  await expect(screens.details(page).getByRole('heading', { name: /Payload/ })).toBeVisible()
  return page
}

/** Text of a foreign direction must not reorder what stands around it. */
async function expectIsolated(text: Locator): Promise<void> {
  const found = await text.first().evaluate((element) => {
    const inner = [...element.querySelectorAll('*')]
    const around = element.closest('.isolate')
    return [element, ...inner, ...(around === null ? [] : [around])].map(
      (one) => getComputedStyle(one).unicodeBidi,
    )
  })
  const isPlain = /^[ -~…]*$/.test((await text.first().textContent()) ?? '')
  if (!isPlain) expect(found).toContain('isolate')
}

async function expectNothingCut(app: App): Promise<void> {
  for (const size of Object.values(SIZES)) {
    await app.resize(size)
    expect(await app.page.evaluate(findCut), JSON.stringify(size)).toStrictEqual([])
  }
}

function readClipboard(app: App): Promise<string> {
  if (app.host === 'electron') return app.electron.evaluate(({ clipboard }) => clipboard.readText())
  return app.page.evaluate(() => navigator.clipboard.readText())
}
