import { app, safeStorage } from 'electron'
import { join } from 'node:path'

import { openConnections } from '../src/inspector/connections.ts'
import { findDataFolder } from '../src/inspector/data-folder.ts'
import { recallServer, Servers } from '../src/inspector/servers/servers.ts'
import { makeSampleLauncher } from '../src/shell/sample-launcher.ts'
import { confirmCommand } from './confirm-command.ts'
import { openCredentials } from './credentials.ts'
import { forkSample } from './sample.ts'
import { makeStoreHost } from './store-host.ts'
import { openWindowState } from './window-state.ts'
import { makeWindows } from './windows.ts'

export type Services = ReturnType<typeof makeServices>

/** Everything that lives as long as the app. `folder`: where the built files are. */
export function makeServices(folder: string) {
  const dataFolder = findDataFolder()
  const state = openWindowState(app.getPath('userData'))
  const connections = openConnections({ dataFolder, startFolder: process.cwd() })
  const sample = makeSampleLauncher({
    path: connections.sample.path,
    fork: (path) => forkSample(join(folder, '..', 'sample', 'sample-process.js'), path),
  })
  const vault = openCredentials({
    file: join(dataFolder, 'secrets.json'),
    encryption: safeStorage,
    platform: process.platform,
  })
  const stores = makeStoreHost({
    entries: {
      interactive: join(folder, 'store-process.js'),
      background: join(folder, 'background-process.js'),
    },
    dataFolder,
    sample,
    recall: (databaseId) => recallServer({ connections, vault }, databaseId),
  })
  const servers = new Servers({
    connections,
    vault,
    confirmCommand,
    connect: (databaseId, secrets) => {
      const database = connections.find(databaseId)
      if (database === undefined) throw new Error('not a server of the list')
      return stores.connectServer(database, secrets)
    },
    disconnect: (databaseId) => stores.disconnect(databaseId),
  })
  const preload = join(folder, 'preload.cjs')
  const windows = makeWindows({ preload, state, connections, stores })
  return { state, connections, servers, sample, stores, windows }
}
