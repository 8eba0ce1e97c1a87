import type { DatabaseClient } from '../../src/contract/index.ts'
import type { NewEvent } from '../../src/model/live.ts'
import { expect, test } from './support/app.ts'
import { appendEvent, withDatabase } from './support/database.ts'
import { connectDatabase } from './support/rpc.ts'
import { openSession, readTimeline, screens, settle, toWords } from './support/screens.ts'
import { startWriter } from './support/writer.ts'

const SESSION = 'live:writer'

test('200 events a second for a minute: the writer is never in the way, nothing is missed', async ({
  app,
}) => {
  test.setTimeout(240_000)
  const [count, perSecond] = [12_000, 200]
  const path = app.copyDatabase('small.db')
  const writer = startWriter(path)
  await writer.append(SESSION)
  const page = await app.open(path)
  await openSession(page, SESSION)
  await expect(screens.event(page, 1)).toBeVisible()
  await page.evaluate(watchTimeline)

  const heard: NewEvent[] = []
  await listen(await connectDatabase(app), heard)
  const { busy, indexes } = await writer.append(SESSION, count, perSecond)
  expect(busy, 'SQLITE_BUSY seen by the writer').toBe(0)
  expect(indexes).toHaveLength(count)

  await expect(screens.event(page, count + 1)).toBeVisible()
  const watched = await page.evaluate(() => Reflect.get(window, 'a2Watched') as Watched)
  expect(watched.tops.length, 'the list moved while it was written').toBeGreaterThan(60)
  expect(watched.tops.toSorted((one, next) => one - next)).toStrictEqual(watched.tops)

  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count)
  const lines = (await readTimeline(page)).slice(1)
  const problems = await page.evaluate(() => (Reflect.get(window, 'a2Watched') as Watched).problems)
  expect(problems).toStrictEqual([])
  const wanted = Array.from({ length: count }, (_, n) => n + 2)
  expectSame(
    lines.map(([index, , payload]) => `${index} ${payload}`),
    [...wanted.toReversed().map((index) => `${index} {"n":${index - 1}}`), '1 {"n":1}'],
  )
  expectSame(
    heard.map(({ sessionId, index, type }) => `${sessionId} ${index} ${type}`),
    wanted.map((index) => `${SESSION} ${index} tick`),
  )
  await writer.close()
})

/** Collects events from the first message on; ends when the program is closed. */
async function listen(client: DatabaseClient, heard: NewEvent[]): Promise<void> {
  const messages = await client.live({ isVisible: true })
  await messages.next()
  void (async () => {
    try {
      for await (const message of messages) {
        if (message.kind === 'events') heard.push(...message.events)
      }
    } catch {
      // What it missed by then is missed in the comparison.
    }
  })()
}

/** Of thousands of lines only the first that differs is worth printing. */
function expectSame(lines: readonly string[], wanted: readonly string[]): void {
  const at = wanted.findIndex((line, place) => line !== lines[place])
  if (at !== -1) expect(lines.slice(at, at + 3)).toStrictEqual(wanted.slice(at, at + 3))
  expect(lines).toHaveLength(wanted.length)
}

test('a single commit of another process shows in the window', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const writer = startWriter(path)
  await writer.append(SESSION)
  const page = await app.open(path)
  await openSession(page, SESSION)
  await expect(screens.event(page, 1)).toBeVisible()
  await settle(page)
  await page.evaluate(watchTimeline)
  const latencies: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const { indexes, committedAt } = await writer.append(SESSION)
    const index = indexes[0] ?? 0
    await expect(screens.event(page, index)).toContainText('settled')
    const shownAt = await page.evaluate(
      (shown) => (Reflect.get(window, 'a2Watched') as Watched).shownAt[shown] ?? 0,
      index,
    )
    latencies.push(shownAt - (committedAt[0] ?? 0))
  }
  await writer.close()
  const median = latencies.toSorted((one, next) => one - next)[10] ?? 0
  const description = `${median} ms from commit to window, median of 20 (${latencies.join(' ')})`
  test.info().annotations.push({ type: 'measured', description })
  process.stdout.write(`${app.host}: ${description}\n`)
})

test('what is being read does not move: new events wait behind a pill', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const writer = startWriter(path)
  await writer.append(SESSION, 300)
  const page = await app.open(path)
  await openSession(page, SESSION)
  await expect(screens.event(page, 300)).toBeVisible()
  // In the middle of a row, as a wheel leaves it.
  await screens.timeline(page).evaluate((grid) => {
    grid.scrollTop = 100 * 30 + 11
  })
  const read = screens.event(page, 190)
  await expect(read).toContainText('settled')
  await page.evaluate(watchPlace, 190)

  await writer.append(SESSION, 37, 100)
  const pill = page.getByRole('button', { name: /new/ })
  await expect(pill).toContainText('37 new')
  await writer.append(SESSION, 5, 20)
  await expect(pill).toContainText('42 new')
  const places = await page.evaluate(() => Reflect.get(window, 'a2Places') as number[])
  expect(places).toHaveLength(1)

  await pill.click()
  await expect(screens.event(page, 342)).toBeVisible()
  await expect(pill).toBeHidden()
  const lines = (await readTimeline(page)).map(toWords)
  expect(lines).toHaveLength(343)
  expect(lines.slice(1, 3)).toStrictEqual(['342 | tick | settled', '341 | tick | settled'])
  await writer.close()
})

test('pause holds the view still, resume brings it up to date', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  const writer = startWriter(path)
  await writer.append(SESSION, 3)
  const page = await app.open(path)
  await openSession(page, SESSION)
  await settle(page)
  await page.getByRole('button', { name: /^Live/ }).click()
  const paused = page.getByRole('button', { name: /^Paused/ })
  await expect(paused).toBeVisible()
  await writer.append(SESSION, 25, 100)
  await expect(paused).toContainText('25 new')
  await expect(page.getByText('Head #3', { exact: true })).toBeVisible()
  await expect(screens.event(page, 3)).toBeVisible()
  await expect(screens.event(page, 28)).toBeHidden()
  await expect(screens.session(page, SESSION)).toContainText('3 events')

  await paused.click()
  await expect(screens.event(page, 28)).toBeVisible()
  await expect(page.getByText('Head #28', { exact: true })).toBeVisible()
  await expect(screens.session(page, SESSION)).toContainText('28 events')
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible()
  await writer.close()
})

test('lists that are empty fill by themselves', async ({ app }) => {
  const path = app.copyDatabase('small.db')
  withDatabase(path, (database) => database.exec('delete from a2_events; delete from a2_clears'))
  const page = await app.open(path)
  await expect(page.getByText('No sessions yet')).toBeVisible()
  appendEvent(path, SESSION)
  await expect(screens.session(page, SESSION)).toContainText('1 event')
  await screens.rail(page, 'Dead').click()
  await expect(page.getByText('No dead letters')).toBeVisible()
  const addDead = (sessionId: string, index: number) =>
    withDatabase(path, (database) =>
      database.exec(
        `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, attempt_count, failure_count, failed_at)
         values ('${sessionId}', ${index}, 'failed', '{}', 'failed in ${sessionId}', 1, 1, 1, 1)`,
      ),
    )
  addDead(SESSION, 2)
  await expect(page.getByText('1 event in 1 session')).toBeVisible()
  await expect(screens.deadLetters(page).getByRole('row')).toHaveCount(2)

  // The counts go on while somebody points at the list and its order stays.
  await screens.rail(page, 'Sessions').click()
  await expect(page.getByTitle('1 session with dead events', { exact: true })).toBeVisible()
  await screens.session(page, SESSION).hover()
  addDead('another', 1)
  await expect(page.getByTitle('2 sessions with dead events', { exact: true })).toBeVisible()
  await expect(page.getByRole('option')).toHaveCount(1)
})

interface Watched {
  /** The highest index drawn, each time it changed. */
  readonly tops: number[]
  /** Lines out of order, or said to be gone. */
  readonly problems: string[]
  /** Epoch ms, by index. */
  readonly shownAt: Record<number, number>
}

/** In the page: looks at the timeline whenever it changes. Drawn lines must be one unbroken run of indexes, falling. */
function watchTimeline(): void {
  const watched: Watched = { tops: [], problems: [], shownAt: {} }
  Reflect.set(window, 'a2Watched', watched)
  const look = (): void => {
    const cells = [...document.querySelectorAll('.timeline-lines .event-index')]
    const indexes = cells.map(({ textContent }) => Number(textContent))
    const [top = 0] = indexes
    if (indexes.some((index, at) => index !== top - at)) watched.problems.push(indexes.join(' '))
    const missing = document.querySelector('.timeline-lines .event-missing')
    if (missing !== null) watched.problems.push(missing.parentElement?.textContent ?? '')
    if (top !== watched.tops.at(-1)) watched.tops.push(top)
    watched.shownAt[top] ??= Date.now()
  }
  new MutationObserver(look).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
  })
  look()
}

/** In the page: notes each place the line of an index had, frame by frame. */
function watchPlace(index: number): void {
  const places: number[] = []
  Reflect.set(window, 'a2Places', places)
  const look = (): void => {
    const cells = [...document.querySelectorAll('.timeline-lines .event-index')]
    const row = cells.find(({ textContent }) => textContent === String(index))
    const top = row?.getBoundingClientRect().top ?? Number.NaN
    if (!Object.is(top, places.at(-1))) places.push(top)
    requestAnimationFrame(look)
  }
  look()
}
