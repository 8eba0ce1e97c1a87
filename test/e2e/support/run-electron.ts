import { _electron } from '@playwright/test'

import { collectOutput, SIZES } from './running-app.ts'
import type { OpenOptions, RunningApp, Size } from './running-app.ts'
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
  const child = electron.process()
  const output = collectOutput(child)
  const page = await electron.firstWindow()
  const window = await electron.browserWindow(page)
  const resize = async (size: Size): Promise<void> => {
    await window.evaluate((shown, { width, height }) => {
      // Smaller than the app allows is a way to see what 200 % zoom shows.
      shown.setMinimumSize(1, 1)
      shown.setContentSize(width, height)
    }, size)
    await page.waitForFunction(
      ({ width, height }) => innerWidth === width && innerHeight === height,
      size,
    )
  }
  await resize(options.size ?? SIZES.usual)
  await page.emulateMedia({ colorScheme: options.theme ?? 'light' })
  return { page, electron, process: child, output, resize, close: () => electron.close() }
}
