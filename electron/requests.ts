import { app } from 'electron'

import type { OpenedDatabase } from '../src/contract/index.ts'
import { logDefect } from '../src/shell/log-defects.ts'
import type { OpenedFiles } from './app-life.ts'
import { setMenu } from './menu.ts'
import type { Services } from './services.ts'
import type { Command } from './windows.ts'
import { toStartRequest } from './start-request.ts'
import type { StartRequest } from './start-request.ts'

/** Everything that opens a window from outside of one: this start, later starts, the menu, the Finder, the Dock. */
export function answerRequests(
  { connections, servers, sample, windows }: Services,
  first: { readonly request: StartRequest; readonly opened: OpenedDatabase | null },
  openedFiles: OpenedFiles,
): void {
  const openFile = (path: string): void => void windows.show(connections.open(path).databaseId)
  const openSample = (): void => {
    sample.prepare().then(() => windows.show(connections.sample.databaseId), logDefect)
  }
  const openConnection = (databaseId: string): void => void windows.show(databaseId)
  const openText = async (text: string): Promise<void> => {
    const prepared = await servers.prepare(text)
    windows.show('databaseId' in prepared ? prepared.databaseId : null)
  }
  const serve = ({ isSample, path, connection }: StartRequest): void => {
    if (isSample) openSample()
    else if (connection !== null) openText(connection).catch(logDefect)
    else if (path === null) windows.show(null)
    else openFile(path)
  }
  const newWindow = (): void => void windows.create(null)
  const actions = {
    newWindow,
    openFile,
    openConnection,
    openSample,
    send: (command: Command) => windows.send(command),
  }
  const refreshMenu = (): void => setMenu(actions, connections.listRecent())

  app.on('second-instance', (_event, _argv, _cwd, data) => {
    const request = toStartRequest(data)
    if (request !== undefined) serve(request)
  })
  app.on('activate', () => windows.show(null))
  openedFiles.forward(openFile)
  if (openedFiles.path !== undefined) openFile(openedFiles.path)
  else if (first.opened !== null) windows.show(first.opened.databaseId)
  else serve(first.request)
  // The window is being loaded meanwhile.
  connections.onChange(refreshMenu)
  refreshMenu()
}
