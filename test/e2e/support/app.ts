import { test as base, expect } from '@playwright/test'
import type { Browser, ElectronApplication, Page } from '@playwright/test'
import type { ChildProcess } from 'node:child_process'

import { runChromium } from './run-chromium.ts'
import { runElectron } from './run-electron.ts'
import type { OpenOptions, RunningApp, Size } from './running-app.ts'
import { makeWorkspace } from './workspace.ts'
import type { Workspace } from './workspace.ts'

export { expect }
export { SIZES } from './running-app.ts'

export interface HostOptions {
  readonly host: 'electron' | 'chromium'
}

/** The program under test, in whichever host the project says. Everything is closed and removed after the test. */
export interface App extends Omit<Workspace, 'remove'> {
  readonly host: HostOptions['host']
  /** The window or tab that was opened last. */
  readonly page: Page
  /** The electron project's main process; fails in the other. */
  readonly electron: ElectronApplication
  /** The program's first process. */
  readonly process: ChildProcess
  /** What it and those it started have written to the terminal since it was opened. */
  output(): string
  /** Starts the program on a path, or without one. Closes the run before it. */
  open(path: string | null, options?: OpenOptions): Promise<Page>
  /** Closes it and starts it again with the same path, options and data folder. */
  restart(): Promise<Page>
  /** Gives the window or tab another size. */
  resize(size: Size): Promise<void>
  close(): Promise<void>
  /** Whatever the page logged as an error or threw. Must be empty at the end of the test; take out what was expected. */
  readonly pageErrors: string[]
}

export const test = base.extend<HostOptions & { app: App }, { launched: () => Promise<Browser> }>({
  host: ['chromium', { option: true }],
  // One for all tests of a worker, each in a context of its own; none where nobody asks for it.
  launched: [
    async ({ playwright, browserName, launchOptions }, use) => {
      let browser: Promise<Browser> | undefined
      await use(() => (browser ??= playwright[browserName].launch(launchOptions)))
      await (await browser)?.close()
    },
    { scope: 'worker' },
  ],
  app: async ({ host, launched }, use) => {
    const workspace = makeWorkspace()
    const app = makeApp(host, workspace, async (path, options) => {
      if (host === 'electron') return runElectron(workspace, path, options)
      return runChromium(await launched(), workspace, path, options)
    })
    await use(app)
    await app.close()
    workspace.remove()
    expect(app.pageErrors, 'errors of the page').toStrictEqual([])
  },
})

type Run = (path: string | null, options: OpenOptions) => Promise<RunningApp>

function makeApp(host: HostOptions['host'], workspace: Workspace, run: Run): App {
  const { remove: _, ...places } = workspace
  const pageErrors: string[] = []
  let running: RunningApp | undefined
  let last: { readonly path: string | null; readonly options: OpenOptions } | undefined
  const close = async (): Promise<void> => {
    await running?.close()
    running = undefined
  }
  const open = async (path: string | null, options: OpenOptions = {}): Promise<Page> => {
    await close()
    last = { path, options }
    running = await run(path, options)
    listen(running.page, pageErrors)
    return running.page
  }
  return {
    ...places,
    host,
    pageErrors,
    get page() {
      if (running === undefined) throw new Error('open() comes first')
      return running.page
    },
    get electron() {
      if (running?.electron === undefined) throw new Error('in the electron project only')
      return running.electron
    },
    get process() {
      if (running === undefined) throw new Error('open() comes first')
      return running.process
    },
    output: () => running?.output() ?? '',
    open,
    restart: () => {
      if (last === undefined) throw new Error('open() comes first')
      return open(last.path, last.options)
    },
    async resize(size) {
      await running?.resize(size)
    },
    close,
  }
}

function listen(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
}
