import { connectTo, dropAnswers } from './support/connect.ts'
import { expect, test } from './support/postgres.ts'
import { screens } from './support/screens.ts'

test('a read that takes long can be stopped, on the server too', async ({ app, postgres }) => {
  const page = await app.open(null)
  const { password } = postgres
  await connectTo(page, { url: postgres.url(), password, environment: 'local' })
  // Each row takes its time, as in a table that has grown too large.
  await postgres.query(`alter table a2_presence enable row level security`)
  await postgres.query(
    `create policy slow on a2_presence for select using (pg_sleep(4)::text is not null)`,
  )
  const running = () =>
    postgres.query(
      `select 1 from pg_stat_activity where application_name = 'a2-inspector'
        and state = 'active' and wait_event = 'PgSleep' and datname = current_database()`,
    )
  await screens.rail(page, 'Presence').click()
  const stop = page.locator('.statusbar').getByRole('button', { name: 'Stop' })
  await expect(stop).toBeVisible()
  expect(await running()).toHaveLength(1)
  await stop.click()
  await expect(page.getByText('Stopped as you asked')).toBeVisible()
  await expect(stop).toBeHidden()
  expect(await running()).toHaveLength(0)
  dropAnswers(app, [401, 503])
})
