import { createRouterClient } from '@orpc/server'
import { app, BrowserWindow, ipcMain } from 'electron'
import { join } from 'node:path'

import { openInspector } from '../../src/inspector/open-inspector.ts'

/**
 * `lab-main [data folder, path]`: a window with one line of text, which is the least that starting Electron
 * takes. With a path its page can ask for events the usual way, through ipcRenderer.invoke and the main process.
 */
async function main([dataFolder, path]: readonly string[]): Promise<void> {
  await app.whenReady()
  if (dataFolder !== undefined && path !== undefined) {
    const { client } = { client: createRouterClient(openInspector({ path, dataFolder }).router) }
    ipcMain.handle('page', (_, input: Parameters<typeof client.events.range>[0]) =>
      client.events.range(input),
    )
  }
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    webPreferences: {
      preload: join(import.meta.dirname, 'lab-preload.cjs'),
      contextIsolation: true,
      sandbox: true,
    },
  })
  await window.loadURL('data:text/html,<title>blank</title><p>blank</p>')
}

app.on('window-all-closed', () => app.quit())
void main(process.argv.filter((word) => word.startsWith('lab:')).map((word) => word.slice(4)))
