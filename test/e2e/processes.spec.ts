import Database from 'better-sqlite3'
import type { Page } from '@playwright/test'

import { expect, test } from './support/app.ts'
import { areRunning, findStores } from './support/processes.ts'
import { openSession, screens, settle } from './support/screens.ts'

const hits = (page: Page) =>
  page.getByRole('grid', { name: 'Found events' }).locator('[data-position]')
const field = (page: Page) => page.getByRole('searchbox', { name: 'Search text' })

/** One statement of minutes: a payload and a text that is compared with it again and again. */
const ENDLESS = `${'a'.repeat(4000)}b`

function addEndless(path: string): void {
  const app = new Database(path)
  app
    .prepare(
      `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, processed_at)
       values ('endless', 1, 'noise', ?, 'endless', 1, 1)`,
    )
    .run(`"${'a'.repeat(20_000_000)}"`)
  app.close()
}

test('what takes long has a process of its own, and the screens outlive it, stuck or killed', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  addEndless(path)
  const page = await app.open(path)
  await settle(page)
  await expect.poll(() => findStores(app)).toMatchObject({ background: [expect.any(Number)] })
  const first = await findStores(app)
  expect(first.store).toHaveLength(1)

  await page.keyboard.press('5')
  await field(page).fill(ENDLESS)
  await expect(page.getByRole('progressbar', { name: 'Looked at' })).toBeVisible()
  // It does not let itself be stopped: the next search has another process.
  await field(page).fill('Heat Pump Vendors')
  await expect(hits(page)).toHaveCount(3)
  const second = await findStores(app)
  expect(second.store).toStrictEqual(first.store)
  expect(second.background).toHaveLength(1)
  expect(second.background).not.toStrictEqual(first.background)

  // Killed in the middle of it: what is counted then is counted by the one after it.
  await field(page).fill(ENDLESS)
  await expect(page.getByRole('progressbar', { name: 'Looked at' })).toBeVisible()
  for (const pid of second.background) process.kill(pid, 'SIGKILL')
  const writer = new Database(path)
  writer.exec(
    'update a2_events set failed_at = null, failure_count = 0 where failed_at is not null',
  )
  writer.close()
  await screens.rail(page, 'Sessions').click()
  await openSession(page, 'order:ord_2026_000918')
  await expect(page.getByText('audit.note').first()).toBeVisible()
  await expect(screens.rail(page, 'Dead')).toHaveAccessibleName('Dead')
  await expect.poll(() => findStores(app)).toMatchObject({ background: [expect.any(Number)] })
  const third = await findStores(app)
  expect(third.store).toStrictEqual(first.store)

  const all = [...third.store, ...third.background]
  expect(areRunning(all)).toBe(true)
  await app.close()
  expect(areRunning(all)).toBe(false)
})
