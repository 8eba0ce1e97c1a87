import { expect, test } from './support/app.ts'

test('in an order made anew the keys go on from the chosen session, not from its old place', async ({
  app,
}) => {
  const page = await app.open(app.copyDatabase('small.db'))
  const list = page.getByRole('listbox', { name: 'Sessions' })
  await list.getByText('import:catalog-2026-01', { exact: true }).click()
  await expect(page).toHaveURL(/s=import/)
  await expect(list).toBeFocused()
  await page.getByTitle('Order of the list').click()
  await page.getByRole('menuitemradio', { name: 'Session id' }).click()
  await expect(list.getByRole('option').first()).toContainText('agent:research-7f3a')
  await expect(list.locator('[data-active="true"]')).toContainText('import:catalog-2026-01')

  await list.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page).toHaveURL(/s=order(%3A|:)ord_2026_000917/)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect(page).toHaveURL(/s=chat(%3A|:)%E3%82%B5/)
})
