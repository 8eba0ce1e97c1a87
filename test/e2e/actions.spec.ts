import type { Page } from '@playwright/test'
import Database from 'better-sqlite3'

import { expect, test } from './support/app.ts'
import {
  appendEvent,
  contentsOf,
  finishEvent,
  readAudit,
  rowsOf,
  withDatabase,
} from './support/database.ts'
import { connectDatabase } from './support/rpc.ts'
import {
  openSession,
  readTimeline,
  screens,
  settle,
  toWords,
  unlockWriting,
} from './support/screens.ts'

const ORDER = 'order:ord_2026_000918'
const AGENT = 'agent:research-7f3a'

function eventOf(path: string, sessionId: string, index: number) {
  return rowsOf(
    path,
    'select * from a2_events where session_id = ? and idx = ?',
    sessionId,
    index,
  )[0]
}

test('nothing can be changed until writing is unlocked', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const before = contentsOf(path)
  const page = await app.open(path)
  await openSession(page, ORDER)
  await screens.event(page, 1).click()
  const locked = screens.dialog(page, 'Writing is locked')
  for (const name of ['Clear…', /^Retry R/, /^Skip…/]) {
    await page.getByRole('button', { name }).click()
    await expect(locked).toContainText('Nothing in the database can be changed')
    await locked.getByRole('button', { name: 'Cancel' }).click()
    await expect(locked).toBeHidden()
  }
  await openSession(page, AGENT)
  await page.getByRole('button', { name: 'Reclaim 19…' }).click()
  await expect(locked).toBeVisible()
  await page.keyboard.press('Escape')

  const client = await connectDatabase(app)
  const dead = { sessionId: ORDER, index: 1 }
  const refused = { code: 'WRITING_LOCKED' }
  const { actions } = client
  await expect(actions.redrive({ ...dead, action: 'retry' })).rejects.toMatchObject(refused)
  await expect(actions.redrive({ ...dead, action: 'skip' })).rejects.toMatchObject(refused)
  const clear = { sessionId: ORDER, ifLastIndex: 7, createClearsTable: false }
  await expect(actions.clear(clear)).rejects.toMatchObject(refused)
  const reclaim = async () => {
    const messages = await actions.reclaim({ sessionId: AGENT, clearIndex: 27 })
    for await (const message of messages) throw new Error(`not refused: ${message.status}`)
  }
  await expect(reclaim()).rejects.toMatchObject(refused)
  expect(contentsOf(path)).toStrictEqual(before)
  expect(readAudit(app.dataFolder)).toStrictEqual([])

  // Unlocked and locked again: the buttons work, then explain again.
  await unlockWriting(page)
  await page.getByRole('button', { name: 'Clear…' }).click()
  await expect(screens.dialog(page, 'Clear this session?')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('w')
  await expect(page.getByRole('switch', { name: 'Read-only. Unlock writing' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear…' }).click()
  await expect(locked).toBeVisible()
  await expect(actions.clear(clear)).rejects.toMatchObject(refused)
  expect(contentsOf(path)).toStrictEqual(before)
})

test('a dead letter is retried with one click, and it is on record', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const before = contentsOf(path)
  const page = await app.open(path)
  await unlockWriting(page)
  await screens.rail(page, 'Dead').click()
  await screens.deadLetters(page).getByRole('row').nth(1).click()
  await screens
    .details(page)
    .getByRole('button', { name: /^Retry R/ })
    .click()
  await expect(screens.messages(page)).toContainText(
    `${ORDER}#1 is ready again: a worker can claim it.`,
  )
  await expect(screens.details(page)).toContainText('Ready. It waits for a worker to claim it.')
  await expect(page.getByRole('button', { name: /^Retry R/ })).toBeHidden()

  const [was] = (before['a2_events'] ?? []).filter((row) => row['session_id'] === ORDER)
  expect(eventOf(path, ORDER, 1)).toStrictEqual({
    ...without(was, 'rowid'),
    failed_at: null,
    failure_count: 0,
  })
  const after = contentsOf(path)
  expect(changedRows(before, after)).toStrictEqual([`${ORDER}#1`])
  expectAudit(app.dataFolder, [
    {
      action: 'retry',
      database: path,
      sessionId: ORDER,
      index: 1,
      outcome: 'done',
      detail: '#1 is ready again: a worker can claim it.',
    },
  ])
  await screens.rail(page, 'Audit').click()
  await expect(page.getByRole('cell', { name: `${ORDER} #1`, exact: true })).toBeVisible()
  await expect(page.getByRole('cell', { name: 'done', exact: true })).toBeVisible()
})

test('a skip names the event that becomes ready, and makes it so', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const before = contentsOf(path)
  const page = await app.open(path)
  await unlockWriting(page)
  await openSession(page, ORDER)
  await screens.event(page, 1).click()
  await expect(screens.details(page).getByRole('button', { name: /^Skip…/ })).toBeVisible()
  await page.keyboard.press('s')
  const dialog = screens.dialog(page, 'Skip #1?')
  await expect(dialog).toContainText('#2 invoice.requested becomes ready in lane invoice.')
  await expect(dialog).toContainText('VAT id rejected by VIES: INVALID_INPUT')
  expect(contentsOf(path)).toStrictEqual(before)
  await dialog.getByRole('button', { name: 'Skip #1' }).click()
  await expect(dialog).toBeHidden()
  await expect(screens.messages(page)).toContainText('#1 is skipped. #2 is ready now.')
  await expect(screens.event(page, 1)).toContainText('skipped')
  await expect(screens.event(page, 2)).toContainText('ready')
  // Nothing waits behind it any more.
  await expect(
    screens.details(page).getByText('invoice · head is #2', { exact: true }),
  ).toBeVisible()

  const after = contentsOf(path)
  expect(changedRows(before, after)).toStrictEqual([`${ORDER}#1`, `${ORDER}#2`])
  const skipped = eventOf(path, ORDER, 1)
  expect(skipped).toMatchObject({ failed_at: 1768209561600, failure_count: 1, lane_ready: 0 })
  expect(Number(skipped?.['processed_at'])).toBeGreaterThan(1768209561600)
  expect(eventOf(path, ORDER, 2)).toMatchObject({ lane_ready: 1, processed_at: null })
  expectAudit(app.dataFolder, [
    {
      action: 'skip',
      sessionId: ORDER,
      index: 1,
      outcome: 'done',
      detail: '#1 is skipped.',
    },
  ])
})

test('a clear shows what it hides, then hides exactly that', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const page = await app.open(path)
  await unlockWriting(page)
  const dialog = screens.dialog(page, 'Clear this session?')
  const effects = dialog.locator('.effect')

  await openSession(page, ORDER)
  await page.getByRole('button', { name: 'Clear…' }).click()
  await expect(effects).toHaveText([
    '7events become invisible to the app · #1–#7',
    '3unfinished, dropped: 1 retrying1 blocked1 dead',
  ])
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await openSession(page, AGENT)
  await page.getByRole('button', { name: 'Clear…' }).click()
  await expect(dialog).toContainText('A clear marker is appended as #38.')
  await expect(effects).toHaveText([
    '10events become invisible to the app · #28–#37',
    '8unfinished, dropped: 2 ready1 retrying5 blocked',
    '2snapshots stop countingnotes @37, notes @35 (kept)',
  ])
  const before = contentsOf(path)
  await dialog.getByRole('button', { name: 'Clear 10 events' }).click()
  await expect(screens.messages(page)).toContainText('Cleared: the marker is #38.')
  await expect(page.getByRole('button', { name: 'Reclaim 30…' })).toBeVisible()
  const top = async () => (await linesOf(page)).slice(0, 4)
  await expect
    .poll(top)
    .toStrictEqual([
      'Lifetime ≥ 5 current · started | no events',
      '#38 cleared',
      'Lifetime ≥ 4 cleared · #28–#37 · not reclaimed yet | 10 events still on disk',
      '37 | caused by #28, attempt 1 | plan.written | plan | abandoned by clear',
    ])

  const after = contentsOf(path)
  expect(changedRows(before, after)).toStrictEqual([`${AGENT}#38`])
  const marker = eventOf(path, AGENT, 38)
  expect(marker).toMatchObject({
    event_type: 'a2.session.cleared',
    payload: 'null',
    cause: null,
    lane: null,
    attempt_count: 0,
    failure_count: 0,
    failed_at: null,
    claim_holder: null,
  })
  expect(marker?.['processed_at']).toBe(marker?.['created_at'])
  const clearsOf = (contents: typeof after) =>
    Object.fromEntries(
      (contents['a2_clears'] ?? []).map((row) => [row['session_id'], row['clear_index']]),
    )
  expect(clearsOf(after)).toStrictEqual({ ...clearsOf(before), [AGENT]: 38 })
  for (const table of ['a2_snapshots', 'a2_snapshot_history', 'a2_snapshot_pins', 'schema']) {
    expect(after[table]).toStrictEqual(before[table])
  }
  expectAudit(app.dataFolder, [
    {
      action: 'clear',
      sessionId: AGENT,
      index: null,
      outcome: 'done',
      detail: 'Cleared: the marker is #38.',
    },
  ])
})

test('a clear of a session that moved on is refused, and previewed anew', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const page = await app.open(path)
  await unlockWriting(page)
  await openSession(page, AGENT)
  await page.getByRole('button', { name: 'Clear…' }).click()
  const dialog = screens.dialog(page, 'Clear this session?')
  const confirm = dialog.getByRole('button', { name: 'Clear 10 events' })
  await expect(confirm).toBeVisible()
  expect(appendEvent(path, AGENT)).toBe(38)
  const before = contentsOf(path)
  await confirm.click()
  const refusal =
    'The session moved on: its last event is #38, not #37 as you saw it. Nothing was changed.'
  const moved = dialog.getByRole('alert')
  await expect(moved).toHaveText(
    '1 event came meanwhile: #38. Nothing was cleared; what you see now includes it.',
  )
  await expect(dialog.locator('.effect').first()).toHaveText(
    '11events become invisible to the app · #28–#38',
  )
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  expect(contentsOf(path)).toStrictEqual(before)

  expect([appendEvent(path, AGENT), appendEvent(path, AGENT)]).toStrictEqual([39, 40])
  const seen = contentsOf(path)
  // The second click of two is not for what has come meanwhile.
  await dialog.getByRole('button', { name: 'Clear 11 events' }).dblclick()
  await expect(moved).toHaveText(
    '2 events came meanwhile: #39–#40. Nothing was cleared; what you see now includes them.',
  )
  await expect(dialog.getByRole('button', { name: 'Clear 13 events' })).toBeEnabled()
  expect(contentsOf(path)).toStrictEqual(seen)

  await dialog.getByLabel('Clear also what comes until then').check()
  await expect(dialog.locator('.effect').first()).toHaveText(
    '13+events become invisible to the app · #28–#40 and what comes until then',
  )
  expect(appendEvent(path, AGENT)).toBe(41)
  await dialog.getByRole('button', { name: 'Clear all there is by then' }).click()
  const done = 'Cleared: the marker is #42. 1 event that came meanwhile is cleared too: #41.'
  await expect(screens.messages(page)).toContainText(done)
  expect(
    rowsOf(path, 'select clear_index from a2_clears where session_id = ?', AGENT),
  ).toStrictEqual([{ clear_index: 42 }])
  expectAudit(app.dataFolder, [
    {
      action: 'clear',
      guard: { ifLastIndex: 37, createClearsTable: false },
      outcome: 'refused',
      detail: refusal,
    },
    { action: 'clear', guard: { ifLastIndex: 38, createClearsTable: false }, outcome: 'refused' },
    {
      action: 'clear',
      guard: { ifClearIndex: 27, lastSeen: 40, createClearsTable: false },
      outcome: 'done',
      detail: done,
    },
  ])
})

test('retry and skip of an event that a worker finished meanwhile change nothing', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  const page = await app.open(path)
  await unlockWriting(page)
  await openSession(page, ORDER)
  await screens.event(page, 1).click()
  await expect(screens.details(page).getByRole('button', { name: /^Skip…/ })).toBeVisible()
  await page.keyboard.press('s')
  const dialog = screens.dialog(page, 'Skip #1?')
  const skip = dialog.getByRole('button', { name: 'Skip #1' })
  await expect(skip).toBeVisible()
  finishEvent(path, ORDER, 1)
  const before = contentsOf(path)
  await skip.click()
  const refusal = 'A worker finished #1 meanwhile. Nothing was changed.'
  await expect(dialog.getByRole('alert')).toHaveText(refusal)
  await expect(skip).toBeHidden()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  expect(contentsOf(path)).toStrictEqual(before)

  // The view is paused, so that the button is still there.
  withDatabase(path, (database) =>
    database.exec(
      `update a2_events set processed_at = null, failed_at = 1, failure_count = 1
       where session_id = '${ORDER}' and idx = 1`,
    ),
  )
  const retry = screens.details(page).getByRole('button', { name: /^Retry R/ })
  await expect(retry).toBeVisible()
  await page.keyboard.press('p')
  // Heard after whatever was still being read when it was paused.
  appendEvent(path, AGENT)
  await expect(page.getByRole('button', { name: /^Paused, 1 new/ })).toBeVisible()
  finishEvent(path, ORDER, 1)
  const finished = contentsOf(path)
  await retry.click()
  await expect(screens.messages(page)).toContainText(refusal)
  expect(contentsOf(path)).toStrictEqual(finished)

  // What is said of an event later takes the place of what was said before.
  await expect(retry).toBeHidden()
  withDatabase(path, (database) =>
    database.exec(
      `update a2_events set processed_at = null, failed_at = 1, failure_count = 1
       where session_id = '${ORDER}' and idx = 1`,
    ),
  )
  await page.getByRole('button', { name: /^Paused/ }).click()
  await retry.click()
  const done = '#1 is ready again: a worker can claim it.'
  await expect(screens.messages(page)).toContainText(done)
  await expect(screens.messages(page)).not.toContainText(refusal)
  expectAudit(app.dataFolder, [
    { action: 'skip', index: 1, outcome: 'refused', detail: refusal },
    { action: 'retry', index: 1, outcome: 'refused', detail: refusal },
    { action: 'retry', index: 1, outcome: 'done', detail: done },
  ])
})

test('reclaiming deletes what was cleared, and says what is gone', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const page = await app.open(path)
  await unlockWriting(page)
  await openSession(page, AGENT)
  // A state that is about to go: once it is gone, nothing may ask for it.
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  const old = page.getByRole('button', { name: /no longer counts$/ })
  await old.first().click()
  await expect(page.getByText('it stands before the clear marker')).toBeVisible()
  await page.getByRole('button', { name: 'Reclaim 19…' }).click()
  const dialog = screens.dialog(page, 'Reclaim cleared events?')
  await expect(dialog.locator('.effect')).toHaveText([
    /^19cleared events · .* of payload$/,
    '2snapshots of the time before the clear',
    '4pins',
  ])
  const before = contentsOf(path)
  await dialog.getByRole('button', { name: 'Reclaim 19 events' }).click()
  const done = screens.dialog(page, 'Reclaimed')
  await expect(done).toContainText('19 cleared events, 2 snapshots and 4 pins are gone for good.')
  await done.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(old).toHaveCount(0)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect
    .poll(async () => (await linesOf(page)).slice(-2))
    .toStrictEqual(['#27 cleared', 'Lifetime ≥ 1 reclaimed · #1–#26 | nothing left on disk'])
  await expect(page.getByRole('button', { name: /^Reclaim/ })).toBeHidden()

  const after = contentsOf(path)
  const gone = Array.from({ length: 19 }, (_, n) => `${AGENT}#${n + 8}`)
  expect(changedRows(before, after).toSorted()).toStrictEqual(gone.toSorted())
  expect(
    rowsOf(path, 'select up_to_index from a2_snapshot_history where session_id = ?', AGENT),
  ).toStrictEqual([{ up_to_index: 35 }])
  expect(
    rowsOf(path, 'select event_index from a2_snapshot_pins where session_id = ? order by 1', AGENT),
  ).toStrictEqual([{ event_index: 36 }, { event_index: 37 }])
  expect(after['a2_clears']).toStrictEqual(before['a2_clears'])
  expectAudit(app.dataFolder, [
    { action: 'reclaim', sessionId: AGENT, guard: { clearIndex: 27 }, outcome: 'done' },
  ])
})

test('reclaiming shows its progress and can be stopped', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const cleared = 60_000
  withDatabase(path, (database) => fillCleared(database, cleared))
  const countLeft = () =>
    Number(
      rowsOf(
        path,
        "select count(*) as n from a2_events where session_id = 'many' and idx <= ?",
        cleared,
      )[0]?.['n'],
    )
  const page = await app.open(path)
  await unlockWriting(page)
  await openSession(page, 'many')
  await page.getByRole('button', { name: 'Reclaim', exact: false }).click()
  await expect(page.getByRole('button', { name: 'Reclaim 60,000 events' })).toBeVisible()

  await page.getByRole('button', { name: 'Reclaim 60,000 events' }).click()
  // Another writer takes the lock between two batches, so that the next one waits to be stopped.
  const other = new Database(path)
  await expect(async () => {
    other.exec('begin immediate')
    if (countLeft() < cleared) return
    other.exec('rollback')
    throw new Error('not begun yet')
  }).toPass({ intervals: [20] })
  await expect(page.getByRole('dialog')).toContainText('Reclaiming cleared events…')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByRole('button', { name: 'Stopping…' })).toBeVisible()
  other.exec('rollback')
  other.close()
  const stopped = screens.dialog(page, 'Stopped')
  await expect(stopped).toBeVisible()
  await expect.poll(() => readAudit(app.dataFolder).at(-1)?.outcome).toBe('stopped')
  const deleted = cleared - countLeft()
  expect(deleted).toBeGreaterThan(0)
  expect(deleted).toBeLessThan(cleared)
  const detail = `Stopped. ${deleted} cleared events are gone for good.`
  expect(readAudit(app.dataFolder).at(-1)?.detail).toBe(detail)
  await expect(stopped).toContainText(detail)
  await stopped.getByRole('button', { name: 'Close', exact: true }).last().click()

  const left = (cleared - deleted).toLocaleString('en-US')
  await expect(
    page.getByRole('gridcell', { name: `${left} of 60,000 events still on disk` }),
  ).toBeVisible()
  await page.getByRole('button', { name: `Reclaim ${left}…` }).click()
  await page.evaluate(watchProgress)
  await page.getByRole('button', { name: `Reclaim ${left} events` }).click()
  const done = screens.dialog(page, 'Reclaimed')
  await expect(done).toContainText('cleared events are gone for good.')
  const seen = await page.evaluate(() => Reflect.get(window, 'a2Progress') as number[])
  expect(seen.length).toBeGreaterThan(2)
  expect(seen.toSorted((one, next) => one - next)).toStrictEqual(seen)
  expect(countLeft()).toBe(0)
  await done.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect
    .poll(() => linesOf(page))
    .toStrictEqual([
      'Lifetime ≥ 2 current · started | no events',
      '#60001 cleared',
      'Lifetime ≥ 1 reclaimed · #1–#60000 | nothing left on disk',
    ])
})

test('a database of 0.16 is browsed as it is; its first clear asks for the one table', async ({
  app,
}) => {
  const path = app.copyDatabase('legacy-016.db')
  const before = contentsOf(path)
  const page = await app.open(path)
  await settle(page)
  await expect(page.getByText('a2 schema 0.16')).toBeVisible()
  await expect(page.getByRole('option')).toHaveCount(8)
  await openSession(page, 'chat:demo')
  const lines = await linesOf(page)
  expect(lines[0]).toBe('Lifetime 1 current · #1–#12 · started | 12 events')
  expect(lines[1]).toMatch(/^12 \| chat\.message \| me \| processed: /)
  expect(lines).toHaveLength(13)
  await screens.rail(page, 'Dead').click()
  await expect(page.getByText('4 events in 2 sessions')).toBeVisible()
  await screens.rail(page, 'Presence').click()
  await expect(page.getByText('3 participants')).toBeVisible()
  await screens.rail(page, 'Sessions').click()

  await unlockWriting(page)
  await openSession(page, 'chat:demo')
  await page.getByRole('button', { name: 'Clear…' }).click()
  const dialog = screens.dialog(page, 'Clear this session?')
  await expect(dialog.getByRole('alert')).toContainText('has no table a2_clears')
  await expect(dialog).toContainText('1snapshot stops counting')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(contentsOf(path)).toStrictEqual(before)
  const client = await connectDatabase(app)
  const refused = { sessionId: 'chat:demo', ifLastIndex: 12, createClearsTable: false }
  expect(await client.actions.clear(refused)).toMatchObject({
    outcome: 'refused',
    reason: 'needs-clears-table',
  })
  expect(contentsOf(path)).toStrictEqual(before)

  await page.getByRole('button', { name: 'Clear…' }).click()
  await dialog.getByRole('button', { name: 'Create the table and clear 12 events' }).click()
  await expect(screens.messages(page)).toContainText('Cleared: the marker is #13.')
  await expect(page.getByText('a2 schema 0.18')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reclaim 12…' })).toBeVisible()

  const after = contentsOf(path)
  expect(changedRows(before, after)).toStrictEqual(['chat:demo#13'])
  expect(after['a2_clears']).toStrictEqual([{ rowid: 1, session_id: 'chat:demo', clear_index: 13 }])
  const namesOf = (contents: typeof after) => (contents['schema'] ?? []).map((row) => row['name'])
  const added = namesOf(after).filter((name) => !namesOf(before).includes(name))
  expect(added).toStrictEqual(['a2_clears', 'sqlite_autoindex_a2_clears_1'])
  expectAudit(app.dataFolder, [
    { action: 'clear', outcome: 'refused' },
    { action: 'clear', outcome: 'done', guard: { ifLastIndex: 12, createClearsTable: true } },
  ])
  await screens.rail(page, 'Audit').click()
  await expect(page.getByRole('cell', { name: 'refused', exact: true })).toBeVisible()
  await expect(page.getByRole('cell', { name: 'done', exact: true })).toBeVisible()
})

/** Events that are new, gone or different, `session#index`, whichever. */
function changedRows(
  before: ReturnType<typeof contentsOf>,
  after: ReturnType<typeof contentsOf>,
): string[] {
  const toMap = (contents: typeof before) =>
    new Map(
      (contents['a2_events'] ?? []).map((row) => [
        `${row['session_id']}#${row['idx']}`,
        JSON.stringify(row),
      ]),
    )
  const [old, now] = [toMap(before), toMap(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key))
}

/** Each action has its intent and its outcome on record, and nothing else is. */
function expectAudit(dataFolder: string, outcomes: object[]): void {
  const lines = readAudit(dataFolder)
  expect(lines.map(({ phase }) => phase)).toStrictEqual(
    outcomes.flatMap(() => ['intent', 'outcome']),
  )
  const ends = lines.filter(({ phase }) => phase === 'outcome')
  expect(ends).toMatchObject(outcomes)
  const intents = lines.filter(({ phase }) => phase === 'intent')
  expect(intents.map(({ id, outcome }) => [id, outcome])).toStrictEqual(
    ends.map(({ id }) => [id, null]),
  )
}

function without(row: object | undefined, name: string): object {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([key]) => key !== name))
}

async function linesOf(page: Page): Promise<string[]> {
  return (await readTimeline(page)).map(toWords).map(withoutTimes)
}

/** Of a line of the timeline: what was just done has a time of its own. */
function withoutTimes(words: string): string {
  return words.replace(/( ·)? @\S+/, '')
}

/** A session with one lifetime of settled events, and its clear marker. */
function fillCleared(database: Database.Database, count: number): void {
  const insert = database.prepare(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, processed_at)
     values ('many', ?, ?, '{}', ?, 1, 1)`,
  )
  database.transaction(() => {
    for (let index = 1; index <= count; index += 1) insert.run(index, 'settled', `many-${index}`)
    insert.run(count + 1, 'a2.session.cleared', 'many-marker')
    database.prepare("insert into a2_clears values ('many', ?)").run(count + 1)
  })()
}

/** In the page: collects every value the progress bar had. */
function watchProgress(): void {
  const seen: number[] = []
  Reflect.set(window, 'a2Progress', seen)
  new MutationObserver(() => {
    const bar = document.querySelector('progress')
    if (bar?.hasAttribute('value') === true && bar.value !== seen.at(-1)) seen.push(bar.value)
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  })
}
