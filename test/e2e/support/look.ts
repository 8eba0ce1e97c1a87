import { AxeBuilder } from '@axe-core/playwright'
import { expect } from '@playwright/test'
import type { Page, TestInfo } from '@playwright/test'

import { SIZES } from './running-app.ts'
import type { App } from './app.ts'

const THEMES = ['light', 'dark'] as const

/**
 * Looks at what is on screen in both themes and all sizes: nothing reaches out of the window, nothing that can
 * be pressed is cut, and axe finds no serious fault. With A2_SCREENSHOTS=1 the pictures are kept.
 */
export async function lookAtScreen(app: App, name: string, testInfo: TestInfo): Promise<void> {
  const { page } = app
  const faults: string[] = []
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await expect(page.locator('html')).toHaveCSS('color-scheme', theme)
    for (const [sizeName, size] of Object.entries(SIZES)) {
      await app.resize(size)
      await settle(page)
      const where = `${theme}, ${size.width} × ${size.height}`
      if (process.env['A2_SCREENSHOTS'] === '1') {
        await page.screenshot({ path: testInfo.outputPath(`${name}-${theme}-${sizeName}.png`) })
      }
      const found = await page.evaluate(findCut)
      // Colours change with the theme, the layout on a small window: the rest would be said twice.
      if (sizeName === 'usual' || (sizeName === 'zoomed' && theme === 'dark')) {
        found.push(...(await findAxeFaults(page)))
      }
      faults.push(...found.map((fault) => `${where}: ${fault}`))
    }
  }
  expect(faults).toStrictEqual([])
}

/** Two frames, and the end of what moves. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const moving = document.getAnimations().filter((one) => {
      const { iterations } = one.effect?.getComputedTiming() ?? {}
      return iterations !== Infinity
    })
    await Promise.allSettled(moving.map((one) => one.finished))
  })
}

async function findAxeFaults(page: Page): Promise<string[]> {
  // Its usual way opens a second page, which an Electron window does not give.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, any }) => `axe ${id}: ${target.join(' ')} ${any.map((c) => c.message).join()}`,
      ),
    )
}

/** Runs in the page. What reaches out of the window sideways, and what can be pressed but is partly cut off. */
export function findCut(): string[] {
  const faults: string[] = []
  const nameOf = (element: Element): string =>
    `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ` +
    `“${(element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40)}”`
  const isVisible = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.closest('.visually-hidden') === null
  /** The part of an element that its ancestors let through sideways. */
  const shownWidth = (element: Element): number => {
    let { left, right } = element.getBoundingClientRect()
    left = Math.max(left, 0)
    right = Math.min(right, innerWidth)
    for (let above = element.parentElement; above !== null; above = above.parentElement) {
      const { overflowX } = getComputedStyle(above)
      if (overflowX === 'visible') continue
      const box = above.getBoundingClientRect()
      left = Math.max(left, box.left)
      right = Math.min(right, box.right)
    }
    return right - left
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
  for (const element of document.querySelectorAll('body *')) {
    if (!isVisible(element)) continue
    const { width } = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    const isScroller = style.overflowX === 'auto' || style.overflowX === 'scroll'
    if (isScroller && element.scrollWidth > element.clientWidth + 1) {
      faults.push(`scrolls sideways: ${nameOf(element)}`)
    }
    const isPressed = element.matches('button, a, input, [role=tab], [role=option]')
    if (isPressed && width > 0 && shownWidth(element) < width - 1) {
      faults.push(`cut: ${nameOf(element)}`)
    }
  }
  return [...new Set(faults)]
}
