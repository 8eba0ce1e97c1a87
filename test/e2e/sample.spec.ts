import Database from 'better-sqlite3'
import { join } from 'node:path'

import { expect, test } from './support/app.ts'

test('the sample opens, and an app keeps writing to it while somebody looks', async ({ app }) => {
  const page = await app.open(null, { args: ['--sample'] })
  await expect(page).toHaveURL(/\/d\/[\w-]{22}\/sessions/)
  await expect(page.getByRole('row').or(page.getByRole('option')).first()).toBeVisible()

  const path = join(app.dataFolder, 'sample', '.a2', 'dev.db')
  const before = countEvents(path)
  expect(before).toBeGreaterThan(100)
  await expect.poll(() => countEvents(path), { timeout: 30_000 }).toBeGreaterThan(before)

  await app.close()
  // Its process closed the database: SQLite removes the -wal with the last connection.
  const database = new Database(path)
  expect(database.pragma('journal_mode = delete', { simple: true })).toBe('delete')
  database.close()
})

function countEvents(path: string): number {
  const database = new Database(path, { readonly: true })
  try {
    return Number(database.prepare('select count(*) from a2_events').pluck().get())
  } finally {
    database.close()
  }
}
