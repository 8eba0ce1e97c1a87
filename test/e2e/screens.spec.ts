import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

import { expect, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { lookAtScreen } from './support/look.ts'
import { projectFolder } from './support/workspace.ts'
import { openSession as chooseSession, screens, settle, unlockWriting } from './support/screens.ts'

const SUPPORT = 'support:ticket-48213'
const ORDER = 'order:ord_2026_000918'

interface Screen {
  readonly name: string
  /** Goes there in a fresh run of the program. */
  readonly open: (app: App) => Promise<unknown>
}

async function openSmall(app: App): Promise<Page> {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  await expect(screens.sessions(page)).toBeVisible()
  return page
}

async function openSession(app: App, id: string): Promise<Page> {
  const page = await openSmall(app)
  await chooseSession(page, id)
  return page
}

async function openDeadLetter(app: App): Promise<Page> {
  const page = await openSession(app, ORDER)
  await screens.event(page, 1).click()
  await expect(screens.details(page).getByText('VAT id rejected').first()).toBeVisible()
  return page
}

const SCREENS: readonly Screen[] = [
  {
    name: 'start',
    open: async (app) => {
      await openSmall(app)
      const page = await app.open(null)
      await expect(page.getByRole('button', { name: /small\.db/ }).first()).toBeVisible()
    },
  },
  {
    name: 'start-first-time',
    open: async (app) => {
      const page = await app.open(null)
      await expect(page.getByText('Nothing opened yet')).toBeVisible()
    },
  },
  { name: 'sessions', open: openSmall },
  {
    name: 'sessions-none-match',
    open: async (app) => {
      const page = await openSmall(app)
      await page.keyboard.press('/')
      await page.keyboard.type('no such session')
      await expect(page.getByText('No session matches')).toBeVisible()
    },
  },
  { name: 'timeline', open: (app) => openSession(app, SUPPORT) },
  {
    name: 'cleared-lifetimes',
    open: async (app) => {
      const page = await openSession(app, 'agent:research-7f3a')
      await expect(page.getByText('still on disk').first()).toBeVisible()
    },
  },
  {
    name: 'reclaimed-lifetimes',
    open: async (app) => {
      const page = await openSession(app, 'import:catalog-2026-01')
      await expect(page.getByText('partly reclaimed')).toBeVisible()
    },
  },
  { name: 'dead-letter', open: openDeadLetter },
  {
    name: 'snapshots',
    open: async (app) => {
      const page = await openSession(app, SUPPORT)
      await page.getByRole('tab', { name: 'Snapshots' }).click()
      await expect(page.getByRole('region', { name: 'State at 7' })).toBeVisible()
    },
  },
  {
    name: 'dead-letters',
    open: async (app) => {
      const page = await openSmall(app)
      await page.keyboard.press('2')
      await page.getByText('invoice.requested').first().click()
      await expect(page.getByText('Attempts and claim')).toBeVisible()
    },
  },
  {
    name: 'presence',
    open: async (app) => {
      const page = await openSmall(app)
      await page.keyboard.press('3')
      await expect(page.getByText('agent:maría')).toBeVisible()
    },
  },
  {
    name: 'audit',
    open: async (app) => {
      const page = await openDeadLetter(app)
      await unlockWriting(page)
      await page.keyboard.press('r')
      await expect(screens.messages(page)).not.toBeEmpty()
      await page.keyboard.press('4')
      await expect(page.getByRole('row').nth(1)).toBeVisible()
    },
  },
  {
    name: 'search',
    open: async (app) => {
      const page = await openSmall(app)
      await page.keyboard.press('5')
      await page.getByRole('searchbox', { name: 'Search text' }).fill('heat pump')
      const found = page.getByRole('grid', { name: 'Found events' })
      await found.getByText('Compare 12').click()
      await expect(screens.details(page).getByText('Attempts and claim')).toBeVisible()
    },
  },
  {
    name: 'palette',
    open: async (app) => {
      const page = await openSession(app, SUPPORT)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('o')
      await expect(page.getByRole('option', { name: ORDER })).toBeVisible()
    },
  },
  {
    name: 'shortcuts',
    open: async (app) => {
      const page = await openSmall(app)
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
  {
    name: 'settings',
    open: async (app) => {
      const page = await openSmall(app)
      await page.getByRole('button', { name: 'Settings' }).click()
      await expect(page.getByText('Theme')).toBeVisible()
    },
  },
  {
    name: 'database-facts',
    open: async (app) => {
      const page = await openSmall(app)
      await page.getByRole('button', { name: /SQLite/ }).click()
      await expect(page.getByText('clear marker')).toBeVisible()
    },
  },
  {
    name: 'writing-locked',
    open: async (app) => {
      const page = await openSession(app, SUPPORT)
      await page.getByRole('button', { name: 'Clear…' }).click()
      await expect(page.getByRole('dialog', { name: 'Writing is locked' })).toBeVisible()
    },
  },
  {
    name: 'unlocked',
    open: async (app) => unlockWriting(await openDeadLetter(app)),
  },
  {
    name: 'clear',
    open: async (app) => {
      const page = await openSession(app, SUPPORT)
      await unlockWriting(page)
      await page.getByRole('button', { name: 'Clear…' }).click()
      await expect(page.getByRole('button', { name: /^Clear \d+ events$/ })).toBeVisible()
    },
  },
  {
    name: 'reclaim',
    open: async (app) => {
      const page = await openSession(app, 'agent:research-7f3a')
      await unlockWriting(page)
      await page.getByRole('button', { name: /^Reclaim/ }).click()
      await expect(page.getByText('It is gone for good')).toBeVisible()
    },
  },
  {
    name: 'skip',
    open: async (app) => {
      const page = await openDeadLetter(app)
      await unlockWriting(page)
      await page.keyboard.press('s')
      await expect(page.getByText('A skip cannot be taken back.')).toBeVisible()
    },
  },
  {
    name: 'trouble',
    open: async (app) => {
      const folder = join(app.folder, 'a-folder.db')
      mkdirSync(folder)
      const page = await app.open(folder)
      await expect(page.getByText('This is a folder')).toBeVisible()
    },
  },
]

for (const { name, open } of SCREENS) {
  test(`${name}: nothing is cut, and axe finds no fault, in both themes and all sizes`, async ({
    app,
  }, testInfo) => {
    await open(app)
    await lookAtScreen(app, name, testInfo)
    // The browser logs each answer that is an error, and this screen is about one.
    if (name === 'trouble') {
      const others = app.pageErrors.splice(0).filter((text) => !/ status of 503 /.test(text))
      app.pageErrors.push(...others)
    }
  })
}

// The picture of the README: made by hand when the screens have changed, and committed.
if (process.env['A2_README_SHOT'] === '1') {
  test('picture of the README', async ({ app }) => {
    const page = await app.open(null, { args: ['--sample'], theme: 'dark' })
    await settle(page)
    // Long enough for the small app beside it to have done something.
    await expect(page.getByText(/^Live · \d+ ms$/)).toBeVisible({ timeout: 30_000 })
    await page
      .getByRole('option', { name: / 1 dead, [1-9] blocked/ })
      .first()
      .click()
    await page.getByRole('row').filter({ hasText: 'dead' }).first().click()
    await expect(screens.details(page).getByText('Attempts and claim')).toBeVisible()
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(projectFolder, 'docs', 'images', 'session.png') })
  })
}
