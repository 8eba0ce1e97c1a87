import { app, Menu, nativeTheme } from 'electron'
import { join } from 'node:path'

import {
  collectOpenedFiles,
  endCleanly,
  receiveConnection,
  separateUserData,
  tellStarter,
} from './app-life.ts'
import { registerAppScheme, serveApp } from './app-protocol.ts'
import { answerConnections } from './connect.ts'
import { handleCrashes } from './crash-handling.ts'
import { makeElectronHost } from './host-router.ts'
import { lockDownPages, lockDownSession } from './lock-down.ts'
import { answerRequests } from './requests.ts'
import { makeServices } from './services.ts'
import { readStartRequest } from './start-request.ts'
import type { StartRequest } from './start-request.ts'
import { repaintBackgrounds } from './window.ts'

const folder = import.meta.dirname

/** From the first window to the last. Awaited here: Electron is not ready before the main file has run to its end. */
async function run(request: StartRequest): Promise<void> {
  const openedFiles = collectOpenedFiles()
  const services = makeServices(folder)
  const hostRouter = makeElectronHost(services)
  const opened = request.path === null ? null : services.connections.open(request.path)
  // Asked for here, its classes are loaded while Electron still starts, and not by the first page's first file.
  Reflect.get(globalThis, 'Response')
  await app.whenReady()
  // First of all: its process takes longest to start.
  if (opened !== null) services.stores.warm(opened)
  serveApp(join(folder, '..', 'renderer'))
  lockDownSession()

  nativeTheme.themeSource = services.state.current.theme
  nativeTheme.on('updated', repaintBackgrounds)
  answerConnections({ ...services, hostRouter })

  app.once('browser-window-created', (_, window) => window.once('show', tellStarter))
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  endCleanly(() => Promise.all([services.stores.close(), services.sample.stop()]))
  answerRequests(services, { request, opened }, openedFiles)
}

// Ours comes with the first window; Electron would build its own before it.
Menu.setApplicationMenu(null)
handleCrashes()
separateUserData()
registerAppScheme()
lockDownPages()

const connection = await receiveConnection()
const fromArguments = readStartRequest({
  argv: process.argv,
  cwd: process.cwd(),
  hasAppFolder: process.defaultApp,
})
const request = connection === null ? fromArguments : { isSample: false, path: null, connection }
if (app.requestSingleInstanceLock({ ...request })) {
  void run(request)
} else {
  tellStarter()
  app.exit(0)
}
