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
  // Each marker takes its time, as in a table that has grown too large: the facts of the status bar read them.
  await postgres.query(`alter table a2_clears enable row level security`)
  await postgres.query(
    `create policy slow on a2_clears for select
      using (current_query() not like '%null_frac%' or pg_sleep(8)::text is not null)`,
  )
  const running = () =>
    postgres.query(
      `select 1 from pg_stat_activity where application_name = 'a2-inspector'
        and state = 'active' and wait_event = 'PgSleep' and datname = current_database()`,
    )
  const event = { sessionId: 'another', index: 1, type: 'note', payload: '{}' }
  await appendEvent(postgres.query, event)
  await expect.poll(running).toHaveLength(1)
  // What the screen asks for waits behind it.
  const asked = page.waitForRequest((one) => one.url().endsWith('/presence'))
  await screens.rail(page, 'Presence').click()
  await asked
  const stop = page.locator('.statusbar').getByRole('button', { name: 'Stop' })
  await stop.click()
  await expect(page.getByRole('main').getByText('Stopped as you asked')).toBeVisible()
  await expect(stop).toBeHidden()
  expect(await running()).toHaveLength(0)
  expect(await page.getByText('Stopped as you asked').count()).toBe(1)
  // At the next change the facts are read again without being asked for.
  await appendEvent(postgres.query, { ...event, index: 2 })
  await expect.poll(running).toHaveLength(1)
  dropAnswers(app, [401, 503])
})
