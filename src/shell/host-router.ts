import { implement } from '@orpc/server'

import { hostContract } from '../contract/index.ts'
import type { HostInfo, Theme } from '../contract/index.ts'
import type { Connections } from '../inspector/connections.ts'
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
  readonly sample: SampleLauncher
  readonly abilities: HostAbilities<Caller>
}

/** Answers the host contract. The context says who is calling. */
export function makeHostRouter<Caller>(services: HostServices<Caller>) {
  const { connections, sample, abilities } = services
  const host = implement(hostContract).$context<{ caller: Caller }>()
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
    forget: host.forget.handler(({ input }) => {
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
  })
}
