import Database from 'better-sqlite3'
import type { Page } from '@playwright/test'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { formatBytes } from '../../renderer/lib/format.ts'
import { expect, test } from './support/app.ts'
import { hashOf, neighboursOf } from './support/database.ts'
import { openSession, screens, settle } from './support/screens.ts'
import { startWriter } from './support/writer.ts'

/** 600: an hour of somebody who does something every six seconds. */
const CLICKS = { 'small.db': 600, 'legacy-016.db': 120 } as const

for (const name of ['small.db', 'legacy-016.db'] as const) {
  test(`${CLICKS[name]} clicks in ${name} change no byte and leave nothing behind`, async ({
    app,
  }) => {
    test.setTimeout(240_000)
    const path = app.copyDatabase(name)
    // An app that was killed: its last commits are in the -wal only.
    const writer = startWriter(path)
    await writer.append('killed', 50)
    await writer.kill()
    const hashes = () => [hashOf(path), hashOf(`${path}-wal`)]
    const before = hashes()
    expect(before).not.toContain(null)

    const page = await app.open(path)
    await settle(page)
    expect(await browse(page, CLICKS[name])).toBeGreaterThanOrEqual(CLICKS[name])
    expect(hashes()).toStrictEqual(before)
    await app.close()
    expect(hashes()).toStrictEqual(before)
    expect(neighboursOf(path)).toStrictEqual(['db', 'db-shm', 'db-wal'])
  })
}

test('a file that nobody else has open keeps its bytes; only empty files of SQLite appear', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  const before = hashOf(path)
  const page = await app.open(path)
  await settle(page)
  await browse(page, 60)
  await app.close()
  expect(hashOf(path)).toBe(before)
  expect(hashOf(`${path}-wal`) ?? EMPTY).toBe(EMPTY)
  expect(['db', 'db-shm', 'db-wal']).toEqual(expect.arrayContaining(neighboursOf(path)))
})

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test('an app that ends beside an open window takes its -wal with it', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const writer = startWriter(path)
  await writer.append('beside', 20)
  const page = await app.open(path)
  await openSession(page, 'beside')
  await expect(screens.event(page, 20)).toBeVisible()
  await browse(page, 40)
  await screens.rail(page, 'Sessions').click()
  await openSession(page, 'beside')
  await writer.append('beside', 5)
  await expect(screens.event(page, 25)).toBeVisible()

  // The panel reads the file when it opens.
  await expectFootprint(page, statSync(`${path}-wal`).size)
  // Only time tells. A commit is looked at once more within two seconds; two seconds later no handle may be open.
  await sleep(4_000)
  // (A reader that comes by right after it makes an empty -wal anew.)
  expect((await writer.close()).walBytes).toBe(0)
  // The main file alone holds everything.
  const alone = join(app.folder, 'alone.db')
  copyFileSync(path, alone)
  const copy = new Database(alone)
  const count = copy.prepare("select count(*) from a2_events where session_id = 'beside'").pluck()
  expect(count.get()).toBe(25)
  copy.close()
  await expect(screens.event(page, 25)).toBeVisible()
})

/** The status bar says so too, with the -wal as the file system has it. */
async function expectFootprint(page: Page, walBytes: number): Promise<void> {
  const line = page.getByTitle('What this program takes of the database.')
  await expect(line).toHaveText(/^no handle · WAL .* · every 250 ms · [\d,]+ rows read$/)
  await line.click()
  const lines = page.getByRole('dialog', { name: 'Footprint' }).locator('dl')
  await expect(lines).toContainText(/open handles\s*none; the longest was open for/)
  await expect(lines).toContainText(/transactions\s*none; the longest was open for/)
  await expect(lines.locator('dt', { hasText: /^-wal$/ }).locator('+ dd')).toHaveText(
    formatBytes(walBytes),
  )
  await page.keyboard.press('Escape')
}

/** Goes through all screens again and again, as fast as they answer, until that many things were done. Returns how many. */
async function browse(page: Page, clicks: number): Promise<number> {
  let done = 0
  for (let round = 0; done < clicks; round += 1) {
    done += await browseOnce(page, round)
    if (round % 5 === 4) await page.reload()
  }
  return done
}

const IDS = ['support:ticket-48213', 'agent:research-7f3a', 'import:catalog-2026-01', 'chat:demo']

/** Every screen once, by mouse and by keyboard. Returns the number of things done. */
async function browseOnce(page: Page, round: number): Promise<number> {
  let done = 0
  const step = async (act: Promise<unknown>): Promise<void> => {
    await act
    done += 1
  }
  const press = (...keys: readonly string[]) => keys.map((key) => () => page.keyboard.press(key))
  const id = IDS[round % IDS.length] ?? ''
  await step(screens.rail(page, 'Sessions').click())
  await step(openSession(page, id))
  await step(screens.timeline(page).focus())
  const moves = press(
    'End',
    'Enter',
    'ArrowUp',
    'ArrowUp',
    'PageUp',
    'PageDown',
    'Home',
    'ArrowDown',
    'Enter',
  )
  for (const move of moves) await step(move())
  await step(page.mouse.wheel(0, 400))
  await step(screens.details(page).waitFor())
  await step(screens.details(page).getByRole('button', { name: 'Raw', exact: true }).click())
  await step(page.keyboard.press('Escape'))
  await step(page.getByRole('tab', { name: 'Snapshots' }).click())
  await step(page.getByRole('tab', { name: 'Timeline' }).click())
  await step(page.getByRole('searchbox').fill(id.slice(0, 4)))
  await step(page.getByRole('searchbox').fill(''))
  await step(page.locator('.filter-bar').getByRole('button', { name: 'Pending' }).click())
  await step(page.locator('.filter-bar').getByRole('button', { name: 'Pending' }).click())
  await step(page.getByTitle('Order of the list').click())
  await step(
    page
      .getByRole('menuitemradio', { name: round % 2 === 0 ? 'Session id' : 'Last activity' })
      .click(),
  )
  await step(screens.rail(page, 'Dead').click())
  await step(screens.deadLetters(page).getByRole('row').nth(1).click())
  await step(screens.details(page).getByRole('button', { name: 'Copy the id' }).click())
  // Locked: the dialog explains and nothing is done.
  for (const ask of press('r', 'Escape', 's', 'Escape', 'Escape')) await step(ask())
  await step(screens.rail(page, 'Presence').click())
  await step(page.getByText('3 participants').waitFor())
  await step(screens.rail(page, 'Audit').click())
  await step(page.getByRole('button', { name: 'All databases' }).click())
  await step(page.keyboard.press('ControlOrMeta+k'))
  await step(page.getByRole('combobox').fill('#3'))
  await step(page.keyboard.press('Escape'))
  await step(page.goBack())
  await step(page.goForward())
  await step(
    page
      .getByTitle(/small\.db|legacy-016\.db/)
      .first()
      .click(),
  )
  await step(page.keyboard.press('Escape'))
  return done
}
