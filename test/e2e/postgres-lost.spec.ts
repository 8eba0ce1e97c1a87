import type { Page, TestInfo } from '@playwright/test'

import type { Proxy } from '../postgres-connect/support/proxy.ts'
import { type App, SIZES } from './support/app.ts'
import { connectTo, dropAnswers } from './support/connect.ts'
import { readAudit } from './support/database.ts'
import { lookAtScreen } from './support/look.ts'
import { appendEvent, expect, type PostgresDatabase, test } from './support/postgres.ts'
import { openSession, screens, unlockWriting } from './support/screens.ts'

const ORDER = 'order:ord_2026_000918'
/** Sent in one go with the commit. */
const RETRY = 'set failed_at = null'
const KEPT = 'The screen keeps what was read before.'

test('a connection that is lost: the screen stays, writes are looked up, nothing is done twice', async ({
  app,
  postgres,
}, testInfo) => {
  test.setTimeout(120_000)
  await recordUpdates(postgres)
  const proxy = await postgres.proxy()
  const page = await app.open(null)
  const { password } = postgres
  await connectTo(page, { url: postgres.url(proxy.port), password, environment: 'staging' })
  await openSession(page, ORDER)
  await screens.event(page, 1).click()
  await unlockWriting(page)
  await test.step('before the commit arrived', () => loseBeforeCommit(app, postgres, proxy))
  await test.step('after it arrived', () => loseAfterCommit(app, postgres, proxy))
  await test.step('a line that swallows everything', () => fallSilent(app, proxy, testInfo))
  await test.step('ended by the server', () => terminate(page, postgres))
  await test.step('a restart', () => restart(page, postgres))
  dropAnswers(app, [401, 503])
})

/** Each change of an event is noted by the server itself, whoever makes it. */
async function recordUpdates({ query }: PostgresDatabase): Promise<void> {
  await query(`
    create table updates (session_id text, idx bigint, by text);
    create function note_update() returns trigger language plpgsql security definer as $$
      begin insert into updates values (new.session_id, new.idx, session_user); return new; end $$;
    create trigger note_update after update on a2_events for each row execute function note_update()`)
}

async function updatesOf({ query }: PostgresDatabase): Promise<number> {
  const [row] = await query<{ n: number }>(
    `select count(*)::int as n from updates where session_id = $1 and by = 'inspector'`,
    ORDER,
  )
  return row?.n ?? 0
}

async function isDead({ query }: PostgresDatabase): Promise<boolean> {
  const sql = `select failed_at is not null and processed_at is null as dead from a2_events where session_id = $1 and idx = 1`
  const [row] = await query<{ dead: boolean }>(sql, ORDER)
  return row?.dead === true
}

const retryButton = (page: Page) => screens.details(page).getByRole('button', { name: /^Retry R/ })
const live = (page: Page) => page.getByRole('button', { name: 'Live. Pause' })

/** What was on the screen is still there, and the way back is shown. */
async function expectAway(page: Page, reason: string): Promise<void> {
  const banner = screens.banner(page)
  await expect(banner).toContainText(`Reconnecting. ${reason}`)
  await expect(banner).toContainText(KEPT)
  await expect(page.getByRole('button', { name: 'Reconnecting. Pause' })).toBeVisible()
  await expect(screens.event(page, 7)).toBeVisible()
  await expect(screens.details(page)).toContainText('VAT id rejected by VIES: INVALID_INPUT')
  await expect(screens.session(page, 'chat:demo')).toBeVisible()
}

/** By itself. */
async function comeBack(page: Page): Promise<void> {
  await expect(live(page)).toBeVisible({ timeout: 20_000 })
  await expect(screens.banner(page).filter({ hasText: 'Reconnecting' })).toHaveCount(0)
}

async function loseBeforeCommit(app: App, postgres: PostgresDatabase, proxy: Proxy): Promise<void> {
  const { page } = app
  proxy.onceSent(RETRY, () => void proxy.refuse())
  await retryButton(page).click()
  await expectAway(page, 'The server cannot be reached')
  await screens.banner(page).getByRole('button', { name: 'Try now' }).click()
  await proxy.listen()
  await comeBack(page)
  await expect(screens.messages(page)).toContainText(
    '#1 is still a dead letter. The connection was lost on the way; this was looked up.',
  )
  expect(await isDead(postgres)).toBe(true)
  expect(await updatesOf(postgres)).toBe(0)
  expect(readAudit(app.dataFolder)).toMatchObject([
    { phase: 'intent', action: 'retry', index: 1 },
    { phase: 'outcome', action: 'retry', index: 1, outcome: 'refused' },
  ])
}

async function loseAfterCommit(app: App, postgres: PostgresDatabase, proxy: Proxy): Promise<void> {
  const { page } = app
  proxy.onceSent(RETRY, () => {
    proxy.isDeaf = true
  })
  await retryButton(page).click()
  await expect.poll(() => isDead(postgres)).toBe(false)
  await proxy.refuse()
  proxy.isDeaf = false
  await expectAway(page, 'The server cannot be reached')
  await proxy.listen()
  await comeBack(page)
  await expect(screens.messages(page)).toContainText(
    '#1 is no dead letter any more. The connection was lost on the way; this was looked up.',
  )
  await expect(screens.details(page)).toContainText('Ready. It waits for a worker to claim it.')
  expect(await updatesOf(postgres)).toBe(1)
  expect(readAudit(app.dataFolder).slice(2)).toMatchObject([
    { phase: 'intent', action: 'retry', index: 1 },
    { phase: 'outcome', action: 'retry', index: 1, outcome: 'done' },
  ])
}

async function fallSilent(app: App, proxy: Proxy, testInfo: TestInfo): Promise<void> {
  const { page } = app
  proxy.mode = 'black-hole'
  await expect(screens.banner(page)).toBeVisible({ timeout: 15_000 })
  await expectAway(page, 'No answer in time')
  // The colours of a screen that is away are its own; they are the same in both hosts.
  if (app.host === 'chromium') {
    await lookAtScreen(app, 'reconnecting', testInfo)
    await app.resize(SIZES.usual)
  }
  proxy.mode = 'pass'
  proxy.cut()
  await comeBack(page)
}

async function terminate(page: Page, { query }: PostgresDatabase): Promise<void> {
  const pids = async (): Promise<number[]> => {
    const sql = `select pid from pg_stat_activity where application_name = 'a2-inspector' and datname = current_database()`
    return (await query<{ pid: number }>(sql)).map(({ pid }) => pid)
  }
  const before = await pids()
  await query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', before)
  await expect
    .poll(async () => (await pids()).filter((pid) => !before.includes(pid)).length)
    .toBeGreaterThan(0)
  await expectFollows(page, query, 8)
}

async function restart(page: Page, { server, query }: PostgresDatabase): Promise<void> {
  await server.restart(() => expectAway(page, 'The connection was lost'))
  await comeBack(page)
  await expectFollows(page, query, 9)
}

/** A commit of another program is seen again. */
async function expectFollows(page: Page, query: PostgresDatabase['query'], index: number) {
  await appendEvent(query, { sessionId: ORDER, index, type: 'note.added', payload: '{}' })
  await expect(screens.session(page, ORDER)).toContainText(`${index} events`)
  await expect(page.getByText(`Head #${index}`)).toBeVisible()
  await expect(live(page)).toBeVisible()
}
