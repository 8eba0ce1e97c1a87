import { _electron } from '@playwright/test'

import { SIZES } from './running-app.ts'
import type { OpenOptions, RunningApp } from './running-app.ts'
import { environmentOf, projectFolder } from './workspace.ts'
import type { Workspace } from './workspace.ts'

/** A real Electron: the one of ELECTRON_OVERRIDE_DIST_PATH when set, else the official one. */
export async function runElectron(
  workspace: Workspace,
  path: string | null,
  options: OpenOptions,
): Promise<RunningApp> {
  const electron = await _electron.launch({
    args: [projectFolder, ...(path === null ? [] : [path]), ...(options.args ?? [])],
    cwd: options.cwd ?? workspace.emptyFolder,
    env: environmentOf(workspace),
  })
  const page = await electron.firstWindow()
  const window = await electron.browserWindow(page)
  await window.evaluate((shown, { width, height }) => {
    // Smaller than the app allows is a way to see what 200 % zoom shows.
    shown.setMinimumSize(1, 1)
    shown.setContentSize(width, height)
  }, options.size ?? SIZES.usual)
  await page.emulateMedia({ colorScheme: options.theme ?? 'light' })
  return { page, electron, close: () => electron.close() }
}
