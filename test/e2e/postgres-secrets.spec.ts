import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import type { App } from './support/app.ts'
import { answerPassword, dropAnswers, dropLostCalls } from './support/connect.ts'
import { findInPage } from './support/page-memory.ts'
import { expect, type PostgresDatabase, test } from './support/postgres.ts'
import { openSession, screens, settle, unlockWriting } from './support/screens.ts'
import { whoShows } from './support/who-shows.ts'

const ORDER = 'order:ord_2026_000918'

test('the password stays where it is needed', async ({ app, postgres }) => {
  const wrong = `wrong-${randomUUID()}`
  const secrets = [postgres.password, wrong]
  const page = await app.open(null)
  await test.step('a wrong one', () => giveWrong(page, postgres, wrong))
  await test.step('connect and write', () => work(page, postgres.password))
  await test.step('nowhere in the page', async () => {
    const control = randomUUID()
    await page.evaluate((text) => void Reflect.set(window, 'a2Control', text), control)
    expect(await findInPage(page, [control, ...secrets])).toStrictEqual([['heap'], [], []])
  })
  const list = join(app.dataFolder, 'connections.json')
  expect(whoShows(['"Staging"'], app.dataFolder)).toContain(list)
  expect(whoShows(secrets, app.dataFolder)).toStrictEqual([])
  await test.step('a crash', () => crash(app, postgres.password))
  expect(whoShows(secrets, app.dataFolder)).toStrictEqual([])
  for (const secret of secrets) expect(app.output()).not.toContain(secret)
  // A tab goes on trying.
  if (app.host === 'chromium') await page.close()
  dropAnswers(app, [401])
  dropLostCalls(app)
})

/** In the URL, as people paste it. */
async function giveWrong(page: Page, postgres: PostgresDatabase, wrong: string): Promise<void> {
  await page.getByLabel('Paste a URL or fill in the parts').focus()
  await page.keyboard.insertText(postgres.url().replace('@', `:${wrong}@`))
  await expect(page.getByLabel('Paste a URL or fill in the parts')).not.toHaveValue(
    new RegExp(wrong),
  )
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Password' })
  await expect(dialog).toContainText('The one that was given did not fit.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
}

async function work(page: Page, password: string): Promise<void> {
  await page.getByLabel('Name to save it under').fill('Staging')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await answerPassword(page, password)
  await settle(page)
  // Under its name, not its address.
  await expect(page.locator('.server-chip')).toHaveText(/· Staging$/)
  await openSession(page, ORDER)
  await screens.event(page, 1).click()
  await unlockWriting(page)
  await screens
    .details(page)
    .getByRole('button', { name: /^Retry R/ })
    .click()
  await expect(screens.messages(page)).toContainText('#1 is ready again')
}

/** The process that has the password ends with whatever it prints then. A window asks again, a tab has nobody left. */
async function crash(app: App, password: string): Promise<void> {
  const { page } = app
  const pid = app.host === 'electron' ? await storeProcessOf(app) : app.process.pid
  if (pid === undefined) throw new Error('the process that is to crash was not found')
  process.kill(pid, 'SIGABRT')
  const banner = screens.banner(page)
  if (app.host === 'chromium')
    return expect(banner).toContainText('No connection to the inspector.')
  await expect(banner).toContainText('Disconnected. A password is needed.')
  await expect(screens.event(page, 7)).toBeVisible()
  const details = screens.details(page)
  await expect(details).toContainText('VAT id rejected by VIES: INVALID_INPUT')
  await expect(details.getByRole('alert')).toHaveCount(0)
  await banner.getByRole('button', { name: 'Reconnect' }).click()
  await answerPassword(page, password)
  await expect(page.getByRole('button', { name: 'Live. Pause' })).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Read-only. Unlock writing' })).toBeVisible()
}

async function storeProcessOf({ electron }: App): Promise<number | undefined> {
  const metrics = await electron.evaluate(({ app }) => app.getAppMetrics())
  return metrics.find(({ name }) => name === 'A2 Inspector store')?.pid
}
