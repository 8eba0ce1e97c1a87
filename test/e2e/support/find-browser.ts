import { chromium } from '@playwright/test'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'chrome.exe',
]
const USUAL_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Playwright's own Chromium, else Chrome or Chromium of this machine. Undefined: none. */
export function findBrowser(): string | undefined {
  const own = chromium.executablePath()
  if (own !== '' && existsSync(own)) return own
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...USUAL_PLACES].find((path) => existsSync(path))
}
