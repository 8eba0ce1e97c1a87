import type { Locator, Page } from '@playwright/test'
import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { appendEvent, withDatabase } from './support/database.ts'
import { openSession, readTimeline, screens, settle, toWords } from './support/screens.ts'

// The browser logs every call that is answered with an error; here the answers are what is tested.
test.afterEach(async ({ app }) => {
  await app.close()
  const others = app.pageErrors
    .splice(0)
    .filter((text) => !/Failed to load .*\/rpc\/db\//.test(text))
  app.pageErrors.push(...others)
})

const ORDER = 'order:ord_2026_000918'

test('a file that is deleted is said to be gone; what was read stays, and it may come back', async ({
  app,
}) => {
  const { path, page } = await openOrder(app)
  const away = join(app.folder, 'away.db')
  renameSync(path, away)
  await expect(banner(page, 'No file there.')).toBeVisible()
  await expect(banner(page, 'The screen keeps what was read before.')).toBeVisible()
  await expect(page.getByRole('option')).toHaveCount(8)
  await expect(screens.event(page, 7)).toBeVisible()

  // A window that is opened now has nothing to keep.
  await page.reload()
  const card = page.locator('[data-trouble="not-found"]')
  await expect(card).toContainText('No file there')
  await expect(card).toContainText('Nothing was created in its place.')
  await expect(page.getByRole('option')).toHaveCount(0)
  renameSync(away, path)
  await expect(card).toBeHidden()
  await expect(screens.event(page, 7)).toBeVisible()

  renameSync(path, away)
  await expect(banner(page, 'No file there.')).toBeVisible()
  renameSync(away, path)
  await expect(banner(page, 'The file is back at')).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(screens.banner(page)).toBeHidden()
  expect(appendEvent(path, ORDER)).toBe(8)
  await expect(screens.event(page, 8)).toBeVisible()
  await expectNeverEmpty(page)
})

test('another database in its place is shown at once, and said so', async ({ app }) => {
  const { path, page } = await openOrder(app)
  const other = app.copyDatabase('legacy-016.db')
  appendEvent(other, ORDER, 'of.the.other')
  rmSync(`${path}-wal`, { force: true })
  rmSync(`${path}-shm`, { force: true })
  renameSync(other, path)
  await expect(banner(page, 'Another file took this one’s place at')).toBeVisible()
  await expect(page.getByText('a2 schema 0.16')).toBeVisible()
  await expect(screens.event(page, 8)).toContainText('of.the.other')
  await expect(screens.session(page, 'chat:demo')).toContainText('12 events')
  await screens.rail(page, 'Dead').click()
  await expect(page.getByText('4 events in 2 sessions')).toBeVisible()
  await expectNeverEmpty(page)
})

test('a session that another database lacks is not shown as empty', async ({ app }) => {
  const { path, page } = await openOrder(app)
  const other = app.copyDatabase('small.db')
  withDatabase(other, (database) =>
    database.prepare('delete from a2_events where session_id = ?').run(ORDER),
  )
  rmSync(`${path}-wal`, { force: true })
  rmSync(`${path}-shm`, { force: true })
  renameSync(other, path)
  await expect(banner(page, 'Another file took this one’s place at')).toBeVisible()
  await expect(page.getByText('This session is not stored any more')).toBeVisible()
  await expect(page.getByText('The file may have been replaced')).toBeVisible()
  await expect(page.getByText('7 sessions')).toBeVisible()
  await expectNeverEmpty(page)
})

test('a backup copied over it is noticed, though it is the same file', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const backup = join(app.folder, 'backup.db')
  copyFileSync(path, backup)
  appendEvent(path, ORDER, 'lost.by.the.restore')
  const page = await openAt(app, path)
  await expect(screens.event(page, 8)).toContainText('lost.by.the.restore')
  copyFileSync(backup, path)
  await expect(banner(page, 'The file was restored to other contents at')).toBeVisible()
  await expect(screens.event(page, 7)).toBeVisible()
  await expect(screens.event(page, 8)).toBeHidden()
  await expect(screens.session(page, ORDER)).toContainText('7 events')
  const lines = (await readTimeline(page)).map(toWords)
  expect(lines).toHaveLength(8)
  expect(lines.at(-1)).toBe('1 | invoice.requested | invoice | dead · 1 failure')
  await expectNeverEmpty(page)
})

test('a file cut to nothing is said to be empty, not without sessions', async ({ app }) => {
  const { path, page } = await openOrder(app)
  const backup = join(app.folder, 'backup.db')
  copyFileSync(path, backup)
  truncateSync(path, 0)
  await expect(banner(page, 'The file is empty.')).toBeVisible()
  await expect(page.getByRole('option')).toHaveCount(8)
  await expect(screens.event(page, 7)).toBeVisible()
  copyFileSync(backup, path)
  await expect(banner(page, 'The file is back at')).toBeVisible()
  await expect(screens.event(page, 7)).toBeVisible()
  await expectNeverEmpty(page)
})

test('a VACUUM changes nothing that is shown, and the tail goes on', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  // Holes in the row numbers, so that it moves them.
  withDatabase(path, (database) =>
    database.exec("delete from a2_events where session_id like 'support:%'"),
  )
  const page = await openAt(app, path)
  const before = await readTimeline(page)
  withDatabase(path, (database) => database.exec('vacuum'))
  expect(appendEvent(path, ORDER, 'after.the.vacuum')).toBe(8)
  await expect(screens.event(page, 8)).toContainText('after.the.vacuum')
  withDatabase(path, (database) => database.exec('vacuum'))
  expect(appendEvent(path, ORDER)).toBe(9)
  await expect(screens.event(page, 9)).toBeVisible()
  expect((await readTimeline(page)).slice(3).map(toWords)).toStrictEqual(
    before.slice(1).map(toWords),
  )
  await expect(page.getByRole('option')).toHaveCount(7)
  await expect(screens.banner(page)).toBeHidden()
  await expectNeverEmpty(page)
})

/** A line about the database as a whole. The next one may come before the last one is gone. */
function banner(page: Page, text: string): Locator {
  return screens.banner(page).filter({ hasText: text })
}

async function openOrder(app: App): Promise<{ readonly path: string; readonly page: Page }> {
  const path = app.copyDatabase('small.db')
  return { path, page: await openAt(app, path) }
}

/** Opens a file at one session and begins to look for lists that pretend that there is nothing. */
async function openAt(app: App, path: string): Promise<Page> {
  const page = await app.open(path)
  await settle(page)
  await openSession(page, ORDER)
  await expect(screens.event(page, 1)).toBeVisible()
  await page.evaluate(watchForEmptyLists)
  return page
}

async function expectNeverEmpty(page: Page): Promise<void> {
  const seen = await page.evaluate(() => Reflect.get(window, 'a2Empty') as string[] | undefined)
  expect(seen ?? []).toStrictEqual([])
}

/** In the page: notes whenever the window says or looks as if the store held nothing. */
function watchForEmptyLists(): void {
  const seen: string[] = []
  Reflect.set(window, 'a2Empty', seen)
  const claims = ['No sessions yet', 'The store is empty', 'No dead letters']
  const look = (): void => {
    const text = document.body.textContent ?? ''
    for (const claim of claims) if (text.includes(claim) && !seen.includes(claim)) seen.push(claim)
    const list = document.querySelector('.session-list')
    const isBare =
      list !== null && list.querySelector('[role=option], .skeleton, .skeleton-rows') === null
    if (isBare && !seen.includes('a bare list')) seen.push('a bare list')
  }
  new MutationObserver(look).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
  })
}
