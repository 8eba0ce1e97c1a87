import type { Locator, Page } from '@playwright/test'

import { expect, test } from './support/app.ts'
import { withDatabase } from './support/database.ts'
import { settle } from './support/screens.ts'

const found = (page: Page): Locator => page.getByRole('grid', { name: 'Found events' })
const rows = (page: Page): Locator => found(page).locator('[data-position]')
const standing = (page: Page): Locator => page.locator('.search-standing')
const field = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search text' })

test('a text is found, narrowed down, opened in its session, and found again on the way back', async ({
  app,
}) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)

  await page.keyboard.press('Control+Shift+F')
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('Heat Pump Vendors')
  await expect(standing(page)).toContainText('3 foundcomplete')
  await expect(rows(page)).toHaveCount(3)
  await expect(rows(page).first()).toContainText('Compare 12 heat pump vendors')
  await expect(rows(page).first().locator('mark')).toHaveText('heat pump vendors')
  // Those below the clear marker too.
  await expect(rows(page).nth(2)).toContainText('cleared')

  await page.getByRole('button', { name: 'Match case' }).click()
  await expect(page.getByText('Nothing found', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/case=match/)
  await page.getByRole('button', { name: 'Do not match case' }).click()
  await expect(rows(page)).toHaveCount(3)

  await field(page).fill('cop 1')
  await expect(rows(page)).toHaveCount(3)
  await field(page).press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('complementary', { name: 'Event' })).toContainText('#20')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary', { name: 'Event' })).toBeHidden()
  await found(page).focus()
  await page.keyboard.press('ArrowUp')
  await expect(page).toHaveURL(/event=30/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/sessions\?.*event=30/)
  await expect(page.getByRole('heading', { level: 2, name: 'agent:research-7f3a' })).toBeVisible()
  // The text that was searched for is no filter of the sessions.
  await expect(page.getByRole('option', { name: /^agent:research-7f3a,/ })).toBeVisible()
  await page.goBack()
  await expect(rows(page).locator('mark')).toHaveText(['cop 1', 'cop 1', 'cop 1'])
  await expect(rows(page).first()).toHaveAttribute('aria-selected', 'true')

  await page.getByLabel('Type', { exact: true }).fill('search.*')
  await page.keyboard.press('Enter')
  await page.getByLabel('Session', { exact: true }).fill('no such session')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nothing found', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Session', { exact: true })).toHaveValue('no such session')
  await page.getByRole('button', { name: 'All sessions and types' }).click()
  await expect(rows(page)).toHaveCount(3)
})

test('the palette searches payloads for what was typed; a long list waits to go on', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  withDatabase(path, (database) =>
    database.exec(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
      with recursive n(n) as (select 1 union all select n + 1 from n where n < 1200)
      select 'many', n, 'many.thing', '{"n":' || n || '}', 'many-' || n, 1 from n`),
  )
  const page = await app.open(path)
  await settle(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('c0ffee')
  await page.getByRole('option', { name: 'Search payloads for “c0ffee”' }).click()
  await expect(rows(page)).toHaveCount(1)
  await rows(page).first().click()
  await expect(page.getByRole('complementary', { name: 'Event' })).toContainText('door.jpg')
  await page.getByRole('button', { name: 'Everything' }).click()
  await field(page).fill('VIES')
  await expect(rows(page).first()).toContainText('error')

  await field(page).fill('')
  await page.getByLabel('Type', { exact: true }).fill('many.thing')
  await page.keyboard.press('Enter')
  await expect(standing(page)).toContainText('1,000 foundstopped here')
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(standing(page)).toContainText('1,200 foundcomplete')
  await found(page).focus()
  await page.keyboard.press('End')
  await expect(page.getByRole('complementary', { name: 'Event' })).toContainText('#1 many.thing')
})
