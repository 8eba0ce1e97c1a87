import { _electron, type ElectronApplication, type Page } from '@playwright/test'

import { prepareElectron } from '../../scripts/test-means.ts'
import { bundleLab, bundlePageScript, prepareApp, root } from './bundles.ts'
import type { InPage } from './in-page.ts'

export interface RunningApp {
  readonly electron: ElectronApplication
  readonly page: Page
  /** Calls a function of in-page.ts there. */
  inPage<Name extends keyof InPage>(
    name: Name,
    ...args: Parameters<InPage[Name]>
  ): Promise<Awaited<ReturnType<InPage[Name]>>>
  close(): Promise<void>
}

/** Starts real Electron. */
export interface ElectronBench {
  /** The app on a file. The same data folder again is a later start of the same person. */
  startApp(path: string, dataFolder: string): Promise<RunningApp>
  /** A window with one line; with `file`, its main process answers for it. */
  startLab(file?: { readonly dataFolder: string; readonly path: string }): Promise<RunningApp>
  /** Closes whatever is still open. */
  closeAll(): Promise<void>
}

/** Why there is none, in words; nothing is built before it is asked for. */
export async function openElectronBench(): Promise<ElectronBench | { readonly reason: string }> {
  const found = await prepareElectron()
  if ('reason' in found) return found
  if (found.wrapper.length > 0) return { reason: 'there is no display' }
  await prepareApp()
  const [lab, script] = [await bundleLab(), await bundlePageScript()]
  const open = new Set<ElectronApplication>()
  const start = async (args: string[], env: Record<string, string>): Promise<RunningApp> => {
    const electron = await _electron.launch({ args, env: { ...inherited(), ...env } })
    open.add(electron)
    electron.once('close', () => open.delete(electron))
    return toRunning(electron, await electron.firstWindow(), script)
  }
  return {
    startApp: (path, dataFolder) => start([root, path], { A2_DATA_DIR: dataFolder }),
    startLab: (file) =>
      start(
        [lab, ...(file === undefined ? [] : [`lab:${file.dataFolder}`, `lab:${file.path}`])],
        {},
      ),
    closeAll: async () => void (await Promise.all([...open].map((one) => one.close()))),
  }
}

function toRunning(electron: ElectronApplication, page: Page, script: string): RunningApp {
  const hasScript = (): Promise<boolean> => page.evaluate(() => Reflect.has(window, 'a2Bench'))
  return {
    electron,
    page,
    async inPage(name, ...args) {
      // Gone with every page that was left.
      if (!(await hasScript())) await page.evaluate(script)
      return page.evaluate(
        ([called, given]) => Reflect.get(Reflect.get(window, 'a2Bench'), called)(...given),
        [name, args] as [string, unknown[]],
      )
    },
    close: () => electron.close(),
  }
}

function inherited(): Record<string, string> {
  const pairs = Object.entries(process.env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !pair[0].startsWith('npm_'),
  )
  return { ...Object.fromEntries(pairs), A2_SKIP_BUILD: '1', A2_NO_OPEN: '1' }
}
