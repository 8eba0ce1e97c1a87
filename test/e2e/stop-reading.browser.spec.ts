import { connectTo, dropAnswers } from './support/connect.ts'
import { appendEvent, expect, test } from './support/postgres.ts'
import { screens } from './support/screens.ts'

test('what takes long can be stopped, on the server too, and only its own place says so', async ({
  app,
  postgres,
}) => {
  const page = await app.open(null)
  const { password } = postgres
  await connectTo(page, { url: postgres.url(), password, environment: 'local' })
  await screens.rail(page, 'Audit').click()
  const sleeping = () =>
    postgres.query<{ query: string }>(
      `select query from pg_stat_activity where application_name = 'a2-inspector'
        and state = 'active' and wait_event = 'PgSleep' and datname = current_database()`,
    )
  // Each row takes its time, as in a table that has grown too large. The facts of the status bar read the markers.
  for (const table of ['a2_clears', 'a2_presence']) {
    await postgres.query(`alter table ${table} enable row level security`)
    await postgres.query(
      `create policy slow on ${table} for select using (pg_sleep(4)::text is not null)`,
    )
  }
  const facts = { query: expect.stringContaining('null_frac') }
  const presence = { query: expect.stringContaining('a2_presence') }
  const event = { sessionId: 'another', index: 1, type: 'note', payload: '{}' }
  await appendEvent(postgres.query, event)
  await expect.poll(sleeping).toContainEqual(facts)
  await screens.rail(page, 'Presence').click()
  await expect.poll(sleeping).toStrictEqual(expect.arrayContaining([facts, presence]))
  const stop = page.locator('.statusbar').getByRole('button', { name: 'Stop' })
  await stop.click()
  await expect(page.getByRole('main').getByText('Stopped as you asked')).toBeVisible()
  await expect(stop).toBeHidden()
  expect(await page.getByText('Stopped as you asked').count()).toBe(1)
  expect(await sleeping()).not.toContainEqual(presence)
  // The facts are read again at the next change without being asked for; what was stopped is not.
  await postgres.query(`drop policy slow on a2_clears`)
  const read = page.waitForResponse((answer) => answer.url().endsWith('/facts') && answer.ok())
  await appendEvent(postgres.query, { ...event, index: 2 })
  await read
  expect(await sleeping()).not.toContainEqual(presence)
  dropAnswers(app, [401, 503])
})
