import { expect, SIZES, test } from './support/app.ts'
import type { App } from './support/app.ts'
import { rowsOf } from './support/database.ts'
import {
  openSession,
  readSessions,
  readTimeline,
  screens,
  settle,
  toWords,
} from './support/screens.ts'
import { AGENT_TIMELINE, SESSIONS } from './support/small-db.ts'

// What is expected here was read off the rows of the fixtures by hand, with the rules of the store.

test('the list shows every session with its numbers', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  expect(await readSessions(page)).toStrictEqual(SESSIONS)
  await expect(screens.session(page, 'agent:research-7f3a')).toHaveAccessibleName(
    'agent:research-7f3a, 10 events, 1 retrying, 5 blocked, 2 ready, 19 to reclaim, lifetime ≥ 4',
  )
  const chips = page.locator('.filter-bar').getByRole('button')
  await expect(chips).toHaveText([
    'Dead1',
    'Pending5',
    'Expired2',
    'Blocked2',
    'Retrying2',
    'Cleared4',
  ])
  await expect(page.getByText('8 sessions')).toBeVisible()
  await expect(page.getByText('a2 schema 0.18')).toBeVisible()
})

test('a session is shown lifetime by lifetime, with what was cleared and what is gone', async ({
  app,
}) => {
  const path = app.copyDatabase('small.db')
  const page = await app.open(path)
  await openSession(page, 'agent:research-7f3a')
  const lines = await readTimeline(page)
  expect(lines.map(toWords)).toStrictEqual(AGENT_TIMELINE)
  const stored = rowsOf(
    path,
    "select payload from a2_events where session_id = 'agent:research-7f3a' and event_type <> 'a2.session.cleared' order by idx desc",
  )
  expect(lines.filter((cells) => cells.length > 4).map((cells) => cells.at(-4))).toStrictEqual(
    stored.map(({ payload }) => payload),
  )

  await openSession(page, 'import:catalog-2026-01')
  const imported = (await readTimeline(page)).map(toWords)
  expect(imported.slice(0, 5)).toStrictEqual([
    'Lifetime ≥ 2 current · #403 · started @2026-01-12T10:39:43.200Z | 1 event',
    '403 | file.received | parse | ready',
    '#402 cleared · @2026-01-12T10:39:43.200Z',
    'Lifetime ≥ 1 partly reclaimed · #1–#401 | 145 of 401 events still on disk',
    '401 | row.imported | settled',
  ])
  expect(imported.slice(-2)).toStrictEqual([
    '257 | row.imported | settled',
    '#1–#256 are gone (reclaimed)',
  ])
  expect(imported).toHaveLength(4 + 145 + 1)

  await openSession(page, 'chat:demo')
  expect((await readTimeline(page)).map(toWords)).toStrictEqual([
    'Lifetime ≥ 2 current · started @2026-01-12T10:37:52.800Z | no events',
    '#13 cleared · @2026-01-12T10:37:52.800Z',
    'Lifetime ≥ 1 reclaimed · #1–#12 | nothing left on disk',
  ])

  await openSession(page, 'chat:サポート-東京')
  expect((await readTimeline(page)).map(toWords)).toStrictEqual([
    'Lifetime 2 current · #4–#5 · started @2026-01-12T10:37:54.000Z | 2 events',
    '5 | caused by #4, attempt 1 | 返信 | settled',
    '4 | メッセージ | 顧客 | processed: 1.2 s',
    '#3 cleared · @2026-01-12T10:37:54.000Z',
    'Lifetime 1 cleared · #1–#2 · not reclaimed yet | 2 events still on disk',
    '2 | command | 顧客 | abandoned by clear',
    '1 | メッセージ | 顧客 | processed',
  ])

  await openSession(page, 'order:ord_2026_000918')
  expect((await readTimeline(page)).map(toWords).slice(1)).toStrictEqual([
    '7 | audit.note | settled',
    '6 | audit.note | settled',
    '5 | audit.note | settled',
    '4 | mail.requested | mail | retrying · 1 failure',
    '3 | mail.requested | mail | skipped',
    '2 | invoice.requested | invoice | behind #1',
    '1 | invoice.requested | invoice | dead · 1 failure',
  ])
})

test('an event is shown whole, digit for digit, and leads to its causes', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await openSession(page, 'order:ord_2026_000917')
  await screens.event(page, 4).click()
  const details = screens.details(page)
  await expect(details.getByRole('heading', { name: '#4 payment.authorized' })).toBeVisible()
  await expect(details.getByRole('treeitem', { name: '"reference"' })).toHaveText(
    '"reference": 12345678901234567890,',
  )
  await details.getByRole('button', { name: 'Raw', exact: true }).click()
  const stored =
    '{"psp":"examplepay","reference":12345678901234567890,"at":"2026-01-12T08:14:13.200Z"}'
  await expect(details.getByText(stored)).toBeVisible()
  await details.getByRole('button', { name: 'Copy as stored' }).click()
  expect(await clipboardOf(app)).toBe(stored)

  await details.getByRole('button', { name: '#2 payment.requested' }).click()
  await expect(page).toHaveURL(/event=2/)
  await expect(details.getByRole('heading', { name: '#2 payment.requested' })).toBeVisible()
  await expect(details.getByRole('button', { name: '#1 order.placed' })).toBeVisible()
  await expect(details.getByRole('button', { name: '#4 payment.authorized' })).toBeVisible()
  await expect(details.getByText('5 m 1 s after it was appended, by attempt 1.')).toBeVisible()

  await screens.event(page, 6).click()
  await expect(
    details.getByText('carrier API: 503 Service Unavailable (request 7000)'),
  ).toBeVisible()
  // Beside the details one still sees what became of each event, however small the window is.
  for (const size of Object.values(SIZES)) {
    await app.resize(size)
    await screens.event(page, 6).locator('.event-state .state').click({ trial: true })
  }
  await app.resize(SIZES.usual)
  await openSession(page, 'chat:サポート-東京')
  await screens.event(page, 2).click()
  await expect(details.getByText('It was unfinished then and was abandoned.')).toBeVisible()
})

async function clipboardOf(app: App): Promise<string> {
  return app.host === 'electron'
    ? app.electron.evaluate(({ clipboard }) => clipboard.readText())
    : app.page.evaluate(() => navigator.clipboard.readText())
}

test('snapshots, dead letters, presence and the audit log', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await openSession(page, 'support:ticket-48213')
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  await expect(page).toHaveURL(/tab=snapshots/)
  const reducers = page.getByRole('navigation', { name: 'Reducers' }).getByRole('button')
  await expect(reducers).toHaveText([
    /^billing@7head 5 behind/,
    /^conversation@7head 5 behind2 kept/,
  ])
  await reducers.nth(1).click()
  const state = page.getByRole('tree', { name: 'State tree' })
  await expect(state.getByText('"calmer"')).toBeVisible()
  await page.getByRole('listitem').getByRole('button', { name: '@4 · pinned by #4' }).click()
  await expect(state.getByText('"worried"')).toBeVisible()
  await expect(page.getByRole('region', { name: 'State at 4' })).toContainText('kept in history')

  await openSession(page, 'agent:research-7f3a')
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  await expect(page.locator('.axis-list button')).toHaveText([
    '@37 · head',
    '@35 · pinned by 2 events',
    '@24 · pinned by 2 events · no longer counts',
    '@14 · pinned by 2 events · no longer counts',
  ])

  await page.locator('.axis-list button').nth(1).click()
  await expect(page.getByText('pinned by #36, #37', { exact: true })).toBeVisible()

  await screens.rail(page, 'Dead').click()
  await expect(page.getByText('1 event in 1 session')).toBeVisible()
  const letter = screens.deadLetters(page).getByRole('row').nth(1)
  await expect(letter.getByRole('gridcell')).toHaveText([
    'dead',
    'order:ord_2026_000918',
    '#1',
    'invoice.requested',
    'invoice· 1',
    'VAT id rejected by VIES: INVALID_INPUT',
    '1',
    /d$/,
  ])
  await letter.click()
  await expect(screens.details(page)).toContainText(
    'It heads lane invoice: 1 event waits behind it.',
  )

  await screens.rail(page, 'Presence').click()
  await expect(page.getByText('3 participants')).toBeVisible()
  for (const name of ['ops-1', 'agent:maría', 'customer:c-1187']) {
    await expect(page.getByRole('row').filter({ hasText: name })).toContainText(/expired .* ago/)
  }
  await screens.rail(page, 'Audit').click()
  await expect(page.getByText('Nothing was changed yet')).toBeVisible()
})

test('the address is the state: back, forward and reload', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  await openSession(page, 'order:ord_2026_000918')
  await screens.event(page, 1).click()
  await expect(heading('#1 invoice.requested')).toBeVisible()
  await openSession(page, 'support:ticket-48213')
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  await screens.rail(page, 'Dead').click()
  await expect(heading('Dead letters')).toBeVisible()

  await page.goBack()
  await expect(page.getByRole('navigation', { name: 'Reducers' })).toBeVisible()
  await page.goBack()
  await expect(screens.event(page, 12)).toBeVisible()
  await page.goBack()
  await expect(heading('order:ord_2026_000918')).toBeVisible()
  await expect(heading('#1 invoice.requested')).toBeVisible()
  await page.goBack()
  await expect(screens.details(page)).toBeHidden()
  await page.goForward()
  await expect(heading('#1 invoice.requested')).toBeVisible()

  await page.getByRole('button', { name: /^Dead/ }).click()
  await expect(page.getByRole('option')).toHaveCount(1)
  const before = page.url()
  await page.reload()
  await expect(heading('#1 invoice.requested')).toBeVisible()
  await expect(heading('order:ord_2026_000918')).toBeVisible()
  await expect(page.getByRole('option')).toHaveCount(1)
  await expect(page.getByRole('button', { name: /^Dead/, pressed: true })).toBeVisible()
  expect(page.url()).toBe(before)
})

test('the list sorts and filters', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  const ids = page.locator('.session-id')
  const sort = async (by: string) => {
    await page.getByTitle('Order of the list').click()
    await page.getByRole('menuitemradio', { name: by }).click()
  }
  await sort('Session id')
  await expect(ids).toHaveText([
    'agent:research-7f3a',
    'chat:demo',
    'chat:サポート-東京',
    'import:catalog-2026-01',
    'order:ord_2026_000917',
    'order:ord_2026_000918',
    'scheduler:daily',
    'support:ticket-48213',
  ])
  await sort('Descending')
  await expect(ids.first()).toHaveText('support:ticket-48213')
  await expect(page).toHaveURL(/sort=id/)
  await sort('Pending events')
  // 8, 3, then two with 2 each, then 1.
  await expect(ids.first()).toHaveText('agent:research-7f3a')
  await expect(ids.nth(1)).toHaveText('support:ticket-48213')
  await expect(ids.nth(4)).toHaveText('import:catalog-2026-01')
  await sort('Dead letters')
  await expect(ids.first()).toHaveText('order:ord_2026_000918')
  await sort('Live events')
  await expect(ids.first()).toHaveText('support:ticket-48213')
  await expect(ids.last()).toHaveText('chat:demo')

  const filter = page.getByRole('searchbox', { name: 'Filter sessions by id' })
  await filter.fill('ORDER')
  await expect(ids).toHaveCount(2)
  await expect(page.locator('.session-list .panel-head')).toContainText('2 of 8')
  await expect(page).toHaveURL(/q=ORDER/)
  const chip = (name: string) => page.locator('.filter-bar').getByRole('button', { name })
  await expect(chip('Dead')).toHaveText('Dead1')
  await expect(chip('Pending')).toHaveText('Pending1')
  await chip('Pending').click()
  await expect(ids).toHaveText(['order:ord_2026_000918'])
  await filter.fill('東京')
  await expect(page.getByText('No session matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(ids).toHaveCount(8)
  await chip('Blocked').click()
  await expect(ids).toHaveCount(2)
  await chip('Cleared').click()
  await expect(ids).toHaveText(['agent:research-7f3a'])
})

test('everything is reached by keyboard', async ({ app }) => {
  const page = await app.open(app.copyDatabase('small.db'))
  await settle(page)
  const press = (keys: string) => page.keyboard.press(keys)
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })

  await press('/')
  await page.keyboard.type('order:')
  await expect(page.getByRole('option')).toHaveCount(2)
  await press('Escape')
  await expect(page.getByRole('option')).toHaveCount(8)
  await press('Escape')

  await screens.sessions(page).focus()
  for (let steps = 0; steps < 6; steps += 1) await press('ArrowDown')
  await press('Enter')
  await expect(heading('order:ord_2026_000918')).toBeVisible()
  await expect(screens.timeline(page)).toBeVisible()
  await screens.timeline(page).focus()
  await press('End')
  await press('Enter')
  await expect(heading('#1 invoice.requested')).toBeVisible()
  await press('ArrowUp')
  await expect(heading('#2 invoice.requested')).toBeVisible()
  await press('Escape')
  await expect(screens.details(page)).toBeHidden()

  await press('?')
  await expect(screens.dialog(page, 'Keyboard shortcuts')).toBeVisible()
  await press('Escape')
  await expect(screens.dialog(page, 'Keyboard shortcuts')).toBeHidden()

  const goTo = async (text: string, option: string | RegExp) => {
    await press('ControlOrMeta+k')
    await page.getByRole('combobox').fill(text)
    await expect(page.getByRole('option', { name: option }).first()).toHaveAttribute(
      'aria-selected',
      'true',
    )
    await press('Enter')
    await expect(page.getByRole('dialog')).toBeHidden()
  }
  await goTo('research', 'agent:research-7f3a')
  await expect(heading('agent:research-7f3a')).toBeVisible()
  await goTo('#14', '#14 of agent:research-7f3a')
  await expect(heading('#14 search.requested')).toBeVisible()
  await expect(screens.event(page, 14)).toBeVisible()
  await goTo('01KERMA56GC0GHNVFR2CQ6VR35', /is #4 of order:ord_2026_000917/)
  await expect(heading('#4 payment.authorized')).toBeVisible()
  await goTo('presence', 'Presence')
  await expect(heading('Presence')).toBeVisible()

  await press('2')
  await expect(heading('Dead letters')).toBeVisible()
  await screens.deadLetters(page).focus()
  await press('ArrowDown')
  await press('Enter')
  await expect(heading('#1 invoice.requested')).toBeVisible()
  for (const [key, button] of [
    ['r', 'Unlock and retry #1'],
    ['s', 'Unlock and go on to skip #1'],
  ] as const) {
    await press(key)
    await expect(screens.dialog(page, 'Writing is locked')).toBeVisible()
    await expect(page.getByRole('button', { name: button })).toBeVisible()
    await press('Escape')
    await expect(screens.dialog(page, 'Writing is locked')).toBeHidden()
  }
  await press('o')
  await expect(heading('order:ord_2026_000918')).toBeVisible()
  for (const [key, name] of [
    ['4', 'Audit'],
    ['3', 'Presence'],
    ['1', 'Sessions'],
  ] as const) {
    await press(key)
    await expect(heading(name)).toBeVisible()
  }
  await press('p')
  await expect(page.getByRole('button', { name: /^Paused/ })).toBeVisible()
  await press('p')
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible()
  // Last: its field takes the focus, and with it every further key.
  await press('5')
  await expect(heading('Search')).toBeVisible()
})
