import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'

/** Where things are on the screens, by role and name wherever they have one. */
export const screens = {
  sessions: (page: Page): Locator => page.getByRole('listbox', { name: 'Sessions' }),
  session: (page: Page, id: string): Locator =>
    page.getByRole('option').filter({ has: page.locator('.session-id').filter({ hasText: id }) }),
  timeline: (page: Page): Locator => page.getByRole('grid', { name: 'Events, newest first' }),
  /** The line of one event in the timeline. */
  event: (page: Page, index: number): Locator =>
    page
      .getByRole('row')
      .filter({ has: page.locator('.event-index').filter({ hasText: new RegExp(`^${index}$`) }) }),
  details: (page: Page): Locator => page.getByRole('complementary', { name: 'Event' }),
  deadLetters: (page: Page): Locator => page.getByRole('grid', { name: 'Dead letters' }),
  dialog: (page: Page, title: string): Locator => page.getByRole('dialog', { name: title }),
  messages: (page: Page): Locator => page.getByRole('region', { name: 'Messages' }),
  banner: (page: Page): Locator => page.locator('.banner'),
  rail: (page: Page, name: 'Sessions' | 'Dead' | 'Presence' | 'Audit'): Locator =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }),
}

export async function openSession(page: Page, id: string): Promise<void> {
  await screens.session(page, id).click()
  await expect(page.getByRole('heading', { level: 2, name: id, exact: true })).toBeVisible()
}

export async function unlockWriting(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Read-only. Unlock writing' }).click()
  await expect(page.getByRole('switch', { name: 'Writing unlocked' })).toBeChecked()
}

/** Waits until lists and counts are complete and nothing is being read any more. */
export async function settle(page: Page): Promise<void> {
  await expect(page.getByText(/counts as of .* complete/)).toBeVisible()
  await expect(page.locator('.skeleton')).toHaveCount(0)
}

/** Every session of the list: id, words of its second line, lifetimes. For lists that fit the window. */
export function readSessions(page: Page): Promise<string[]> {
  return page.getByRole('option').evaluateAll((rows) =>
    rows.map((row) => {
      const textOf = (selector: string): string[] =>
        Array.from(row.querySelectorAll(selector), ({ textContent }) => textContent ?? '')
      return [
        ...textOf('.session-id'),
        ...textOf('.session-work > span'),
        ...textOf('.session-life'),
      ].join(' | ')
    }),
  )
}

/**
 * All lines of the open timeline from top to bottom, scrolled through: the texts of their cells, times as they
 * are stored (`@1768214272800` in ISO form). Fails when the same line is drawn twice.
 */
export function readTimeline(page: Page): Promise<string[][]> {
  return screens.timeline(page).evaluate(async (grid) => {
    const found = new Map<number, string[]>()
    const rowPx = 30
    const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))
    const textOf = (cell: Element): string => {
      const copy = cell.cloneNode(true) as Element
      for (const time of copy.querySelectorAll('time')) time.textContent = `@${time.dateTime}`
      return (copy.textContent ?? '').trim()
    }
    const drawn = (): Element[] => [...grid.querySelectorAll('[role=row]')]
    const rowOf = (row: Element): number => Number(row.getAttribute('aria-rowindex'))
    const count = Number(grid.getAttribute('aria-rowcount'))
    for (let first = 1; first <= count; first += Math.floor(grid.clientHeight / rowPx) - 1) {
      grid.scrollTop = (first - 1) * rowPx
      const last = Math.min(count, first + Math.floor(grid.clientHeight / rowPx) - 1)
      const until = performance.now() + 10_000
      for (;;) {
        await frame()
        const rows = drawn().map(rowOf)
        const isThere = rows.includes(first) && rows.includes(last)
        if (isThere && grid.querySelector('.skeleton') === null) break
        if (performance.now() > until) throw new Error(`row ${first} to ${last} are not drawn`)
      }
      for (const row of drawn()) {
        const cells = [...row.querySelectorAll('[role=gridcell]')].map(textOf)
        found.set(rowOf(row), cells)
      }
    }
    grid.scrollTop = 0
    return [...found].toSorted(([one], [other]) => one - other).map(([, cells]) => cells)
  })
}

/** A line of the timeline without its payload, for events without their age: easy to check against the rows. */
export function toWords(cells: readonly string[]): string {
  const words = cells.length > 4 ? cells.toSpliced(-4, 1).slice(0, -1) : cells
  return words.filter((word) => word !== '').join(' | ')
}
