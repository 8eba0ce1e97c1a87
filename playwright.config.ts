import { defineConfig } from '@playwright/test'

import { findBrowser } from './test/e2e/support/find-browser.ts'
import type { HostOptions } from './test/e2e/support/app.ts'

const executablePath = findBrowser()

/**
 * The same journeys twice: in a real Electron window, and in a browser tab of browser mode. What only one of
 * them has is in `*.electron.spec.ts` or `*.browser.spec.ts`.
 */
export default defineConfig<HostOptions>({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results/e2e',
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  retries: 0,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  // A trace of every test, thrown away when it passes, takes a third more time: `--trace on` for one that fails.
  use: { trace: 'off', screenshot: 'only-on-failure' },
  projects: [
    { name: 'electron', testIgnore: '**/*.browser.spec.ts', use: { host: 'electron' } },
    {
      name: 'chromium',
      testIgnore: '**/*.electron.spec.ts',
      use: {
        host: 'chromium',
        browserName: 'chromium',
        launchOptions: executablePath === undefined ? {} : { executablePath },
      },
    },
  ],
})
