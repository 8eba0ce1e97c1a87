import type { Locator, Page } from '@playwright/test'

import { screens } from '../../test/e2e/support/screens.ts'
import { NEEDLE } from '../generate/spec.ts'

const STEP_MS = 250
const SCREENFULS = 12

/** Scrolls a list down through some screenfuls, then to its end and back. */
async function scroll(list: Locator): Promise<void> {
  await list.evaluate(
    async (element, { stepMs, screenfuls }) => {
      const rest = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, stepMs))
      for (let n = 0; n < screenfuls; n += 1) {
        element.scrollTop += element.clientHeight
        await rest()
      }
      for (const top of [element.scrollHeight, element.scrollHeight / 2, 0]) {
        element.scrollTop = top
        await rest()
      }
    },
    { stepMs: STEP_MS, screenfuls: SCREENFULS },
  )
}

async function openSomeSessions(page: Page): Promise<void> {
  for (const nth of [0, 3, 6]) {
    await page.getByRole('option').nth(nth).click()
    const timeline = screens.timeline(page)
    await timeline.waitFor()
    await scroll(timeline)
    await timeline.getByRole('row').nth(2).click()
    await screens.details(page).waitFor()
  }
}

/** One round through the screens, as a person with much to look at would make it. */
export async function browse(page: Page, round: number): Promise<void> {
  await screens.rail(page, 'Sessions').click()
  await screens.sessions(page).waitFor()
  await scroll(screens.sessions(page))
  const filter = page.getByLabel('Filter sessions by id')
  await filter.fill((round % 16).toString(16))
  await page.waitForTimeout(4 * STEP_MS)
  await filter.fill('')
  await page.waitForTimeout(4 * STEP_MS)
  await openSomeSessions(page)
  await screens.rail(page, 'Dead').click()
  await screens.deadLetters(page).waitFor()
  await scroll(screens.deadLetters(page))
  await search(page)
}

async function search(page: Page): Promise<void> {
  const address = new URL(page.url())
  const [, databaseId = ''] = /\/d\/([\w-]+)/.exec(address.pathname) ?? []
  await page.evaluate(
    (to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    },
    `/d/${databaseId}/search?${new URLSearchParams({ q: NEEDLE })}`,
  )
  await page.waitForTimeout(8 * STEP_MS)
}
