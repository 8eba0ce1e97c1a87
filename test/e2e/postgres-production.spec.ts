import type { Locator, TestInfo } from '@playwright/test'

import { type App, SIZES } from './support/app.ts'
import { connectTo, dropAnswers, fillConnection } from './support/connect.ts'
import { readAudit } from './support/database.ts'
import { lookAtScreen } from './support/look.ts'
import { expect, test } from './support/postgres.ts'
import { openSession, screens, unlockWriting } from './support/screens.ts'

const AGENT = 'agent:research-7f3a'

test('on production the session id is typed before a clear and a reclaim', async ({
  app,
  postgres,
}, testInfo) => {
  const { query, password } = postgres
  const stored = () =>
    query(
      `select idx, event_type, xmin::text from a2_events where session_id = $1 order by idx`,
      AGENT,
    )
  const page = await app.open(null)
  await fillConnection(page, postgres.url(), 'staging')
  await look(app, 'connect', testInfo)
  await connectTo(page, { url: postgres.url(), password, environment: 'production' })
  await expect(page.locator('.window-frame')).toHaveAttribute('data-environment', 'production')
  await expect(page.getByRole('button', { name: 'Postgres · production ·' })).toBeVisible()
  await unlockWriting(page)
  await openSession(page, AGENT)
  const before = await stored()

  await page.getByRole('button', { name: 'Clear…' }).click()
  const clear = screens.dialog(page, 'Clear this session?')
  const confirmClear = clear.getByRole('button', { name: 'Clear 10 events' })
  await expectTypedId(clear, confirmClear)
  await look(app, 'production', testInfo)
  expect(await stored()).toStrictEqual(before)
  expect(readAudit(app.dataFolder)).toStrictEqual([])
  await confirmClear.click()
  await expect(screens.messages(page)).toContainText('Cleared: the marker is #38.')

  await page.getByRole('button', { name: 'Reclaim 30…' }).click()
  const reclaim = screens.dialog(page, 'Reclaim cleared events?')
  const confirmReclaim = reclaim.getByRole('button', { name: 'Reclaim 30 events' })
  await expectTypedId(reclaim, confirmReclaim)
  expect(await stored()).toHaveLength(before.length + 1)
  await confirmReclaim.click()
  await expect(screens.dialog(page, 'Reclaimed')).toContainText(
    '30 cleared events, 4 snapshots and 6 pins are gone for good.',
  )
  expect(await stored()).toMatchObject([{ idx: '38', event_type: 'a2.session.cleared' }])
  expect(readAudit(app.dataFolder).filter(({ phase }) => phase === 'outcome')).toMatchObject([
    { action: 'clear', sessionId: AGENT, outcome: 'done' },
    { action: 'reclaim', sessionId: AGENT, outcome: 'done' },
  ])
  dropAnswers(app, [401])
})

/** The same in both hosts: once is enough. */
async function look(app: App, name: string, testInfo: TestInfo): Promise<void> {
  if (app.host === 'electron') return
  await lookAtScreen(app, name, testInfo)
  await app.resize(SIZES.usual)
}

/** Anything but the very id keeps the button off; it is off again when a letter is taken away. Ends with the id typed. */
async function expectTypedId(dialog: Locator, confirm: Locator): Promise<void> {
  const field = dialog.getByLabel(/This is production. Type the session id to go on/)
  await expect(confirm).toBeDisabled()
  for (const wrong of [AGENT.toUpperCase(), `${AGENT} `, AGENT.slice(0, -1), 'yes']) {
    await field.fill(wrong)
    await expect(confirm).toBeDisabled()
  }
  await field.press('Enter')
  await expect(dialog).toBeVisible()
  await field.fill(AGENT)
  await expect(confirm).toBeEnabled()
  await field.press('Backspace')
  await expect(confirm).toBeDisabled()
  await field.fill(AGENT)
}
