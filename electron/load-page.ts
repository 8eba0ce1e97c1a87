import type { BrowserWindow } from 'electron'

import { logDefect } from '../src/shell/log-defects.ts'
import { isOurs } from './app-address.ts'

const ATTEMPTS = 3
const PAUSE_MS = 200
/** A page that crashes more often than this is not brought back by itself. */
const CRASH_INTERVAL_MS = 10_000

/**
 * Loads one of our pages. A load can be reported as failed although the page is there (it moved to another of
 * its screens meanwhile), so what counts is where the window is. Gives up after some attempts, with a line in the log.
 */
export async function loadPage(window: BrowserWindow, url: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await window.loadURL(url)
      return
    } catch (error) {
      if (window.isDestroyed() || isOurs(window.webContents.getURL())) return
      if (attempt === ATTEMPTS) logDefect(error)
    }
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (window.isDestroyed()) return
  }
}

/** A page whose process was killed or ran out of memory comes back where it was. */
export function reviveCrashedPage(window: BrowserWindow): void {
  let lastCrashAt = -Infinity
  window.webContents.on('render-process-gone', (_, { reason }) => {
    if (reason === 'clean-exit') return
    const now = performance.now()
    const isFrequent = now - lastCrashAt < CRASH_INTERVAL_MS
    lastCrashAt = now
    logDefect(`The page's process is gone (${reason}).`)
    if (!isFrequent && !window.isDestroyed()) window.webContents.reload()
  })
}
