import type { Page } from '@playwright/test'

import { expect, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { openSession, screens, settle } from './support/screens.ts'

/** Keys are lost on a screen that is not there yet. */
async function openSessions(app: App): Promise<Page> {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  await expect(screens.sessions(page)).toBeVisible()
  return page
}

test('a screen that was just opened answers the arrow keys, without Tab and without the mouse', async ({
  app,
}) => {
  const page = await openSessions(app)
  await page.keyboard.press('ArrowDown')
  await expect(screens.sessions(page)).toBeFocused()
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')

  await page.keyboard.press('Enter')
  await expect(screens.event(page, 1)).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(screens.timeline(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(screens.details(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(screens.details(page)).toHaveCount(0)

  await page.keyboard.press('2')
  await expect(screens.deadLetters(page)).toContainText('invoice.requested')
  await page.keyboard.press('ArrowDown')
  await expect(screens.details(page).getByText('VAT id rejected').first()).toBeVisible()
  await page.keyboard.press('o')
  await expect(page.getByRole('heading', { name: 'order:ord_2026_000918' })).toBeVisible()
})

test('from a filter the list is one key away', async ({ app }) => {
  const page = await openSessions(app)
  await page.keyboard.press('/')
  await page.keyboard.type('support')
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('ArrowDown')
  await expect(screens.session(page, 'support:ticket-48213')).toHaveAttribute(
    'aria-selected',
    'true',
  )
})

test('the palette takes the first result, also one that came late, and does what can be done', async ({
  app,
}) => {
  const page = await openSessions(app)
  const palette = page.getByRole('dialog', { name: 'Go to' })
  const ask = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(words)
  }
  await ask('this')
  await expect(palette.getByText('Nothing is called that.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('o')
  const results = palette.getByRole('option')
  await expect(results.first()).toContainText('order:')
  await expect(results.first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(results.nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 2, name: /^order:/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(screens.timeline(page)).toBeFocused()

  await openSession(page, 'order:ord_2026_000918')
  await ask('clear')
  await expect(palette.getByRole('option').first()).toHaveText('Clear this session…')
  await page.keyboard.press('Enter')
  const locked = page.getByRole('dialog', { name: 'Writing is locked' })
  await locked.getByRole('button', { name: 'Unlock and go on to clear' }).click()
  await expect(page.getByRole('dialog', { name: 'Clear this session?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await screens.event(page, 1).click()
  await expect(screens.details(page)).toContainText('Dead letter.')
  await ask('skip')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Skip #1?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await ask('r')
  await expect(results.filter({ hasText: 'scheduler:daily' })).toBeVisible()
  // What was found for less is not taken for an answer to more.
  await page.keyboard.type('etry')
  await page.keyboard.press('Enter')
  await expect(screens.messages(page)).toContainText('#1 is ready again')
})
