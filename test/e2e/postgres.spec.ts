import type { Page } from '@playwright/test'

import type { App } from './support/app.ts'
import { answerPassword, dropAnswers, fillConnection } from './support/connect.ts'
import { readAudit } from './support/database.ts'
import { backendsOf, startMigrations } from './support/guest.ts'
import { appendEvent, expect, type PostgresDatabase, test } from './support/postgres.ts'
import {
  openSession,
  readSessions,
  readTimeline,
  screens,
  settle,
  toWords,
} from './support/screens.ts'
import { AGENT_TIMELINE, SESSIONS } from './support/small-db.ts'

const ORDER = 'order:ord_2026_000918'
const DONE = 'order:ord_2026_000917'
const AGENT = 'agent:research-7f3a'
const SUPPORT = 'support:ticket-48213'

interface EventRow {
  readonly idx: string
  readonly event_type: string
  readonly payload: unknown
  readonly processed_at: string | null
  readonly failed_at: string | null
  readonly failure_count: number
  readonly lane_ready: boolean
}

const eventsOf = ({ query }: PostgresDatabase, sessionId: string): Promise<EventRow[]> =>
  query<EventRow>(
    `select idx, event_type, payload, processed_at, failed_at, failure_count, lane_ready
       from a2_events where session_id = $1 order by idx`,
    sessionId,
  )

test('a journey on a staging server, while others alter its tables', async ({ app, postgres }) => {
  test.setTimeout(90_000)
  const stopMigrations = await startMigrations(postgres)
  const page = await app.open(null)
  await test.step('connect', () => connect(page, postgres))
  await test.step('look', () => lookAround(page))
  await test.step('live', () => followCommit(page, postgres))
  await test.step('act', () => act(app, postgres))
  const migrations = await stopMigrations()
  await test.step('left alone', () => leaveAlone(postgres))
  expect(migrations).toMatchObject({ failures: [], mostConnections: 3 })
  expect(migrations.done).toBeGreaterThan(20)
  const description = `${migrations.done} times a table was altered, in ${Math.round(migrations.longestMs)} ms at most`
  test.info().annotations.push({ type: 'measured', description })
  dropAnswers(app, [401])
})

async function connect(page: Page, { url, password }: PostgresDatabase): Promise<void> {
  await fillConnection(page, url(), 'staging')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await answerPassword(page, password)
  await expect(page.getByText(/✓ connected in \d+ ms/)).toBeVisible()
  await expect(page.locator('.test-report > div')).toContainText([
    /^serverPostgreSQL 18\.\d+$/,
    /^encryptionnone: the server offers no TLS$/,
    /^a2 storeschema 0\.18 · ~213 events · \d+ KB$/,
    /^rightsread and write → opens read-only$/,
    /^latency\d+\.\d ms a round trip$/,
    /^clockas this machine$/,
  ])
  // The password is not asked for again.
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await settle(page)
  await expect(page.locator('.window-frame')).toHaveAttribute('data-environment', 'staging')
  const place = /^Postgres · staging · inspector@127\.0\.0\.1\/journey_\d+$/
  await page.getByRole('button', { name: place }).click()
  const server = page.getByRole('dialog', { name: 'Server' })
  await expect(server.getByText('none: the server offers no TLS')).toHaveCount(1)
  await expect(server.getByText('statement 5 s, lock 1 s, idle in transaction 10 s')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('switch', { name: 'Read-only. Unlock writing' })).not.toBeChecked()
}

/** The same as of the file that the rows come from. */
async function lookAround(page: Page): Promise<void> {
  expect(await readSessions(page)).toStrictEqual(SESSIONS)
  await openSession(page, AGENT)
  expect((await readTimeline(page)).map(toWords)).toStrictEqual(AGENT_TIMELINE)

  await openSession(page, DONE)
  await screens.event(page, 4).click()
  const details = screens.details(page)
  await expect(details.getByRole('heading', { name: '#4 payment.authorized' })).toBeVisible()
  await expect(details.getByRole('treeitem', { name: '"reference"' })).toHaveText(
    /^"reference": 12345678901234567890,?$/,
  )
  await expect(details.getByText('Stored as jsonb, not as text.')).toBeVisible()

  await openSession(page, SUPPORT)
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  const reducers = page.getByRole('navigation', { name: 'Reducers' }).getByRole('button')
  await expect(reducers).toHaveText([
    /^billing@7head 5 behind/,
    /^conversation@7head 5 behind2 kept/,
  ])
  await reducers.nth(1).click()
  await page.getByRole('listitem').getByRole('button', { name: '@4 · pinned by #4' }).click()
  const state = page.getByRole('tree', { name: 'State tree' })
  await expect(state.getByText('"worried"')).toBeVisible()

  await screens.rail(page, 'Presence').click()
  await expect(page.getByText('3 participants')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'agent:maría' })).toContainText('expired')
  await screens.rail(page, 'Audit').click()
  await expect(page.getByText('Nothing was changed yet')).toBeVisible()

  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox', { name: 'Search text' }).fill('xx-invalid')
  const found = page.getByRole('grid', { name: 'Found events' }).getByRole('row')
  await expect(found.filter({ hasText: ORDER })).toHaveCount(1)
}

async function followCommit(page: Page, { query }: PostgresDatabase): Promise<void> {
  await screens.rail(page, 'Sessions').click()
  await openSession(page, DONE)
  await expect(screens.event(page, 7)).toBeVisible()
  const payload = '{"n": 1005254182451511297}'
  await appendEvent(query, { sessionId: DONE, index: 8, type: 'parcel.returned', payload })
  await expect(screens.event(page, 8)).toContainText('parcel.returned')
  await expect(screens.event(page, 8)).toContainText(payload)
  await expect(screens.event(page, 8)).toContainText('ready')
  // What is unfinished is counted at leisure, the more so the slower the server answers.
  await expect(screens.session(page, DONE)).toContainText('1 ready', { timeout: 30_000 })
}

async function act(app: App, postgres: PostgresDatabase): Promise<void> {
  const { page } = app
  await page.getByRole('switch', { name: 'Read-only. Unlock writing' }).click()
  const unlocked = page.getByRole('switch', { name: 'Writing unlocked' })
  await expect(unlocked).toHaveText(/Writing unlocked · (10:00|9:\d\d)/)
  await retryAndFailAgain(page, postgres)
  await skip(page, postgres)
  await clear(page, postgres)

  const lines = readAudit(app.dataFolder)
  expect(lines.map(({ phase }) => phase)).toStrictEqual(
    ['retry', 'skip', 'clear'].flatMap(() => ['intent', 'outcome']),
  )
  expect(lines.filter(({ phase }) => phase === 'outcome')).toMatchObject([
    { action: 'retry', sessionId: ORDER, index: 1, outcome: 'done' },
    { action: 'skip', sessionId: ORDER, index: 1, outcome: 'done' },
    { action: 'clear', sessionId: AGENT, index: null, outcome: 'done' },
  ])
  for (const { database } of lines) expect(database).toBe(postgres.url())
  await screens.rail(page, 'Audit').click()
  await expect(page.getByRole('cell', { name: 'done', exact: true })).toHaveCount(3)

  await page.keyboard.press('w')
  await expect(page.getByRole('switch', { name: 'Read-only. Unlock writing' })).not.toBeChecked()
  await expect.poll(async () => (await backendsOf(postgres)).length).toBe(2)
}

/** One click, and what a worker makes of it is seen at once. */
async function retryAndFailAgain(page: Page, postgres: PostgresDatabase): Promise<void> {
  const [before] = await eventsOf(postgres, ORDER)
  await screens.rail(page, 'Dead').click()
  await expect(page.getByText('1 event in 1 session')).toBeVisible()
  await screens.deadLetters(page).getByRole('row').nth(1).click()
  const details = screens.details(page)
  await details.getByRole('button', { name: /^Retry R/ }).click()
  await expect(screens.messages(page)).toContainText('#1 is ready again: a worker can claim it.')
  await expect(details).toContainText('Ready. It waits for a worker to claim it.')
  expect((await eventsOf(postgres, ORDER))[0]).toStrictEqual({
    ...before,
    failed_at: null,
    failure_count: 0,
  })
  await postgres.query(
    `update a2_events set attempt_count = 2, failure_count = 1, failed_at = $2, last_error = 'VIES is closed on Mondays'
      where session_id = $1 and idx = 1`,
    ORDER,
    Date.now(),
  )
  await expect(details.getByText('VIES is closed on Mondays')).toBeVisible()
}

async function skip(page: Page, postgres: PostgresDatabase): Promise<void> {
  await screens.details(page).getByRole('button', { name: /^Skip/ }).click()
  const dialog = screens.dialog(page, 'Skip #1?')
  await expect(dialog).toContainText('#2 invoice.requested becomes ready in lane invoice.')
  await dialog.getByRole('button', { name: 'Skip #1' }).click()
  await expect(screens.messages(page)).toContainText('#1 is skipped. #2 is ready now.')
  const [skipped, next] = await eventsOf(postgres, ORDER)
  expect(skipped).toMatchObject({ lane_ready: false, failure_count: 1 })
  expect(skipped?.failed_at).not.toBeNull()
  expect(skipped?.processed_at).not.toBeNull()
  expect(next).toMatchObject({ lane_ready: true, processed_at: null })
}

async function clear(page: Page, postgres: PostgresDatabase): Promise<void> {
  await screens.rail(page, 'Sessions').click()
  // The order of before is shown until the new one is there.
  await expect(page.getByRole('option').first()).toContainText(DONE)
  await openSession(page, AGENT)
  await page.getByRole('button', { name: 'Clear…' }).click()
  const dialog = screens.dialog(page, 'Clear this session?')
  await expect(dialog.locator('.effect')).toHaveText([
    '10events become invisible to the app · #28–#37',
    '8unfinished, dropped: 2 ready1 retrying5 blocked',
    '2snapshots stop countingnotes @37, notes @35 (kept)',
  ])
  const before = await eventsOf(postgres, AGENT)
  await dialog.getByRole('button', { name: 'Clear 10 events' }).click()
  await expect(screens.messages(page)).toContainText('Cleared: the marker is #38.')
  await expect(page.getByRole('button', { name: 'Reclaim 30…' })).toBeVisible()
  const after = await eventsOf(postgres, AGENT)
  expect(after.slice(0, -1)).toStrictEqual(before)
  expect(after.at(-1)).toMatchObject({ idx: '38', event_type: 'a2.session.cleared', payload: null })
  expect(
    await postgres.query('select clear_index from a2_clears where session_id = $1', AGENT),
  ).toStrictEqual([{ clear_index: '38' }])
}

/** The screen follows on; between two looks the server holds nothing for it. */
async function leaveAlone(postgres: PostgresDatabase): Promise<void> {
  const idle = { state: 'idle', hasTransaction: false, locks: 0 }
  await expect.poll(() => backendsOf(postgres)).toStrictEqual([idle, idle])
}
