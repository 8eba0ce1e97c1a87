import { BrowserWindow, app, dialog, nativeTheme } from 'electron'
import type { WebContents } from 'electron'

import type { Connections } from '../src/inspector/connections.ts'
import type { Servers } from '../src/inspector/servers/servers.ts'
import { makeHostRouter } from '../src/shell/host-router.ts'
import type { SampleLauncher } from '../src/shell/sample-launcher.ts'
import { toPlatform } from '../src/shell/platform.ts'
import type { WindowState } from './window-state.ts'
import type { Windows } from './windows.ts'

export type HostRouter = ReturnType<typeof makeElectronHost>

/** The host contract with native windows, dialogs and theme. */
export function makeElectronHost(services: {
  readonly connections: Connections
  readonly servers: Servers
  readonly sample: SampleLauncher
  readonly windows: Windows
  readonly state: WindowState
}) {
  const { connections, servers, sample, windows, state } = services
  return makeHostRouter<WebContents>({
    connections,
    servers,
    sample,
    abilities: {
      info: {
        mode: 'electron',
        platform: toPlatform(process.platform),
        version: app.getVersion(),
        canShowDialog: true,
        canOpenWindows: true,
        dataFolder: connections.dataFolder,
      },
      showOpenDialog,
      newWindow: (databaseId) => windows.create(databaseId),
      setTheme(theme) {
        nativeTheme.themeSource = theme
        state.update({ theme })
      },
    },
  })
}

async function showOpenDialog(caller: WebContents): Promise<string | null> {
  const options = {
    title: 'Open a database',
    properties: ['openFile', 'showHiddenFiles'],
    filters: [
      { name: 'Databases', extensions: ['db', 'sqlite', 'sqlite3'] },
      { name: 'All files', extensions: ['*'] },
    ],
  } satisfies Electron.OpenDialogOptions
  const window = BrowserWindow.fromWebContents(caller)
  const { filePaths } = await (window === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options))
  return filePaths[0] ?? null
}
