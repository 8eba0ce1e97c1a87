import { implement } from '@orpc/server'

import { hostContract } from '../contract/index.ts'
import type { HostInfo, Theme } from '../contract/index.ts'
import type { Connections } from '../inspector/connections.ts'
import { toApiError } from '../inspector/router.ts'
import type { Servers } from '../inspector/servers/servers.ts'
import type { SampleLauncher } from './sample-launcher.ts'

/** What differs between an Electron window and a browser tab. */
export interface HostAbilities<Caller> {
  readonly info: HostInfo
  /** An absolute path, or null when the person cancelled. Undefined: this host has no dialog. */
  readonly showOpenDialog?: (caller: Caller) => Promise<string | null>
  /** Undefined: this host has no windows of its own. */
  readonly newWindow?: (databaseId: string | null) => void
  readonly setTheme?: (theme: Theme) => void
}

interface HostServices<Caller> {
  readonly connections: Connections
  readonly servers: Servers
  readonly sample: SampleLauncher
  readonly abilities: HostAbilities<Caller>
}

/** Answers the host contract. The context says who is calling. */
export function makeHostRouter<Caller>(services: HostServices<Caller>) {
  const { connections, servers, sample, abilities } = services
  const host = implement(hostContract)
    .$context<{ caller: Caller }>()
    .use(async ({ next }) => {
      try {
        return await next()
      } catch (error) {
        throw toApiError(error)
      }
    })
  const of = host.connections
  return host.router({
    info: host.info.handler(() => abilities.info),
    files: host.files.handler(() => ({
      recent: connections.listRecent(),
      nearby: connections.listNearby(),
    })),
    open: host.open.handler(({ input }) => connections.open(input.path)),
    showOpenDialog: host.showOpenDialog.handler(async ({ context, errors }) => {
      if (abilities.showOpenDialog === undefined) throw errors.UNSUPPORTED()
      const path = await abilities.showOpenDialog(context.caller)
      return path === null ? null : connections.open(path)
    }),
    openSample: host.openSample.handler(async () => {
      await sample.prepare()
      return connections.sample
    }),
    resolve: host.resolve.handler(({ input, errors }) => {
      const found = connections.find(input.databaseId)
      if (found === undefined) throw errors.UNKNOWN_DATABASE({ data: input })
      return found
    }),
    forget: host.forget.handler(async ({ input }) => {
      // With what the vault keeps for it.
      if (connections.servers.find(input.databaseId)?.name === null) {
        await servers.remove(input.databaseId)
      }
      connections.forget(input.databaseId)
      return null
    }),
    newWindow: host.newWindow.handler(({ input, errors }) => {
      if (abilities.newWindow === undefined) throw errors.UNSUPPORTED()
      abilities.newWindow(input.databaseId)
      return null
    }),
    setTheme: host.setTheme.handler(({ input }) => {
      abilities.setTheme?.(input.theme)
      return null
    }),
    connections: {
      list: of.list.handler(() => servers.list()),
      parse: of.parse.handler(({ input }) => servers.parse(input.text)),
      defaults: of.defaults.handler(() => servers.parse('')),
      test: of.test.handler(({ input }) => servers.test(input)),
      save: of.save.handler(({ input }) => servers.save(input)),
      remove: of.remove.handler(async ({ input }) => {
        await servers.remove(input.databaseId)
        return null
      }),
      open: of.open.handler(({ input }) => servers.open(input)),
      vault: of.vault.handler(() => servers.vault()),
    },
  })
}
