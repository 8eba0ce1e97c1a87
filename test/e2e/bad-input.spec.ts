import Database from 'better-sqlite3'
import type { Page } from '@playwright/test'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { expect, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { withDatabase } from './support/database.ts'
import { screens } from './support/screens.ts'

interface Case {
  readonly name: string
  /** Puts the trouble at a path in a folder of its own. */
  readonly make: (path: string, app: App) => void
  readonly title: string
  /** Part of what the screen says to do next. */
  readonly next: string
}

const CASES: readonly Case[] = [
  {
    name: 'nothing there',
    make: () => undefined,
    title: 'No file there',
    next: 'Start the app that writes it',
  },
  {
    name: 'a link to nothing',
    make: (path) => symlinkSync(join(dirname(path), 'gone.db'), path),
    title: 'No file there',
    next: 'Start the app that writes it',
  },
  {
    name: 'a folder',
    make: (path) => mkdirSync(path),
    title: 'This is a folder',
    next: '.a2/dev.db',
  },
  {
    name: 'an empty file',
    make: (path) => writeFileSync(path, ''),
    title: 'The file is empty',
    next: 'Let the app write its first event',
  },
  {
    name: 'a text file',
    make: (path) => writeFileSync(path, '# Notes, and <b>not</b> a database\n'.repeat(400)),
    title: 'Not a SQLite database',
    next: 'Check the path',
  },
  {
    name: 'whole pages of noise',
    make: (path) => writeFileSync(path, randomBytes(16_384)),
    title: 'It looks encrypted',
    next: 'Export a plain copy',
  },
  {
    name: 'a database of something else',
    make: (path) => withDatabase(path, (other) => other.exec('create table todo (id integer)')),
    title: 'No a2 store inside',
    next: 'Open the store of an a2 app',
  },
  {
    name: 'a store whose tables are all in a -wal that was not copied',
    make: (path) => {
      const original = join(dirname(path), '..', 'original.db')
      const app = new Database(original)
      app.pragma('journal_mode = wal')
      app.exec('create table a2_events (session_id text)')
      copyFileSync(original, path)
      app.close()
    },
    title: 'No a2 store inside',
    next: '-wal',
  },
  {
    name: 'a needed column missing',
    make: (path, app) => {
      copyFileSync(app.copyDatabase('small.db'), path)
      withDatabase(path, (other) => {
        other.exec('create table kept as select * from a2_events')
        other.exec('drop table a2_events; alter table kept rename to a2_events')
        other.exec('alter table a2_events drop column lane_ready')
        other.pragma('journal_mode = delete')
      })
    },
    title: 'A needed column is missing',
    next: 'report its a2 version',
  },
  {
    name: 'cut off in its first page',
    make: (path, app) => {
      copyFileSync(app.copyDatabase('small.db'), path)
      truncateSync(path, 50)
    },
    title: 'Not a SQLite database',
    next: 'Check the path',
  },
]

const trouble = (page: Page) => page.getByRole('alert')

test('each file that cannot be opened says which it is, what was not touched and what to do', async ({
  app,
}) => {
  test.slow()
  const page = await app.open(null)
  for (const [number, { name, make, title, next }] of CASES.entries()) {
    await test.step(name, async () => {
      const folder = join(app.folder, `case-${number}`)
      mkdirSync(folder)
      const path = join(folder, 'dev.db')
      make(path, app)
      const before = contentsOf(folder)
      await openPath(page, path)
      await expectTrouble(page, title, next)
      await expect(trouble(page)).toContainText(path)

      // With the cause still there, trying again says the same.
      await page.getByRole('button', { name: 'Try again' }).click()
      await expectTrouble(page, title, next)
      expect(contentsOf(folder)).toStrictEqual(before)

      for (const left of readdirSync(folder)) rmSync(join(folder, left), { recursive: true })
      copyFileSync(app.copyDatabase('small.db'), path)
      await tryAgain(page)
      await page.getByRole('link', { name: 'A2 Inspector' }).click()
    })
  }
  expectOnlyRefusals(app)
})

test('a file that another program locks is read when that one is done', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  withDatabase(path, (database) => database.pragma('journal_mode = delete'))
  const before = contentsOf(dirname(path))
  const other = new Database(path)
  other.exec('begin exclusive')
  const page = await app.open(path)
  await expectTrouble(page, 'Locked by another program', 'program in exclusive mode')
  // Looked at only after the lock is gone: reading the file in this process would end the lock.
  other.exec('rollback')
  other.close()
  await tryAgain(page)
  expect(contentsOf(dirname(path))).toStrictEqual(before)
  expectOnlyRefusals(app)
})

test('damaged pages in the middle are said, what is whole is shown, nothing is repaired', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  const pages = withDatabase(path, (database) => {
    database.pragma('journal_mode = delete')
    return database
      .prepare<[], number>(
        `select pageno from dbstat where name = 'a2_events' and pagetype = 'leaf'`,
      )
      .pluck()
      .all()
  })
  const file = openSync(path, 'r+')
  for (const number of pages.slice(pages.length / 2)) {
    writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (number - 1) * 4096)
  }
  closeSync(file)
  const before = contentsOf(dirname(path))
  const page = await app.open(path)
  await expect(page.getByText('Part of the file is damaged').first()).toBeVisible()
  await expect(page.getByText('No sessions yet')).toHaveCount(0)
  await expectNoInnards(page)
  await page.keyboard.press('2')
  await expect(page.getByText('Part of the file is damaged').first()).toBeVisible()
  await expect(page.getByText('No dead letters')).toHaveCount(0)
  expect(contentsOf(dirname(path))).toStrictEqual(before)

  copyFileSync(app.copyDatabase('small.db'), path)
  await tryAgain(page, screens.deadLetters(page))
  await expect(page.getByText('Part of the file is damaged')).toHaveCount(0)
  await page.keyboard.press('1')
  await expect(screens.session(page, 'chat:demo')).toBeVisible()
  expectOnlyRefusals(app)
})

test('a copy without its -wal opens, and says that commits may be missing', async ({ app }) => {
  const original = app.copyDatabase('small.db')
  const other = new Database(original)
  other.exec(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
     values ('only in the -wal', 1, 'late', '{}', 'late', 1)`,
  )
  const folder = join(app.folder, 'without-wal')
  mkdirSync(folder)
  const path = join(folder, 'dev.db')
  copyFileSync(original, path)
  const before = contentsOf(folder)
  const page = await app.open(path)
  await expect(screens.session(page, 'chat:demo')).toBeVisible()
  await expect(page.getByText('opened without a -wal')).toBeVisible()
  await page.getByRole('button', { name: /^SQLite/ }).click()
  await expect(page.getByText('a copy that lost its newest commits')).toBeVisible()
  await page.keyboard.press('Escape')
  await app.close()
  // SQLite itself leaves an empty -wal and a -shm; the file keeps every byte.
  expect(contentsOf(folder)['dev.db']).toBe(before['dev.db'])
  copyFileSync(`${original}-wal`, `${path}-wal`)
  other.close()
  rmSync(`${path}-shm`, { force: true })
  const again = await app.open(path)
  await expect(screens.session(again, 'only in the -wal')).toBeVisible()
})

async function openPath(page: Page, path: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Path of a database file' }).fill(path)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
}

async function expectTrouble(page: Page, title: string, next: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled()
  await expect(page.getByRole('term')).toHaveText(['What happened', 'Not touched', 'Next step'])
  for (const definition of await page.getByRole('definition').all()) {
    await expect(definition).toHaveText(/^[A-Z].{20,}\.$/)
  }
  await expect(page.getByRole('definition').last()).toContainText(next)
  await expectNoInnards(page)
}

/** No stack trace, no code, and no list that looks like "no data". */
async function expectNoInnards(page: Page): Promise<void> {
  const text = await page.locator('body').innerText()
  expect(text).not.toMatch(
    /\.[jt]sx?:\d+|Error:|\[object|undefined|\bNaN\b|select |No sessions yet/,
  )
}

/** The cause is gone: the button leads to what is whole again, unless the program noticed by itself. */
async function tryAgain(page: Page, whole = screens.session(page, 'chat:demo')): Promise<void> {
  await page.getByRole('button', { name: 'Try again' }).or(whole).first().click()
  await expect(whole).toBeVisible()
}

/** A browser logs each answer that is an error; nothing else may be logged. Forgets them. */
function expectOnlyRefusals(app: App): void {
  const errors = app.pageErrors.splice(0)
  expect(errors.filter((text) => !/^Failed to load resource: .* 5\d\d/.test(text))).toStrictEqual(
    [],
  )
}

/** Every name in a folder with a hash of what it holds; without the empty -wal and the -shm that SQLite itself needs. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .filter((name) => !name.endsWith('-wal') || statSync(join(folder, name)).size > 0)
    .toSorted()
  return Object.fromEntries(names.map((name) => [basename(name), hashOf(join(folder, name))]))
}

function hashOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 'leads to nothing'
  if (stat.isDirectory()) return 'folder'
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
