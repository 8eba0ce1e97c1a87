import type { Inspector } from '../assemble-inspector.ts'
import type { ConnectionSource } from '../connection-source.ts'
import { openPostgresInspector } from '../open-postgres-inspector.ts'
import { LazyServer, type LazyServerOptions } from './lazy-server.ts'
import type { ConnectFailure, Secrets } from './secrets.ts'

export interface ServerInspector extends Inspector {
  /** Connects, when it is not connected. null: it is. Given secrets replace those of before. */
  connect(secrets: Secrets | null): Promise<ConnectFailure | null>
}

/** Everything a screen can ask of one server. Connects when it is asked to, or by the first question. */
export function openServerInspector(
  options: LazyServerOptions & {
    readonly dataFolder: string
    readonly onDefect?: (error: unknown) => void
  },
): ServerInspector {
  const { dataFolder, onDefect } = options
  const server = new LazyServer(options)
  const inspector = openPostgresInspector({
    postgres: server,
    connection: toSource(server),
    dataFolder,
    ...(onDefect === undefined ? {} : { onDefect }),
  })
  return {
    router: inspector.router,
    warmUp: () => inspector.warmUp(),
    backgroundRouter: inspector.backgroundRouter,
    connect: (secrets) => server.connect(secrets),
    async close() {
      // Reads under way end at once, so that nothing waits for them.
      server.cancelReads()
      await inspector.close()
      await server.close()
    },
  }
}

function toSource(server: LazyServer): ConnectionSource {
  return {
    report: (clockDifferenceMs) => {
      const { path, name, settings, state, unlockedUntil, limits } = server
      return {
        path,
        name,
        environment: settings.environment,
        state,
        unlockedUntil,
        clockDifferenceMs: state.status === 'connected' ? clockDifferenceMs : null,
        limits,
      }
    },
    reconnect: () => server.reconnect(),
    cancelReads: () => server.cancelReads(),
    onChange: (listener) => {
      const ends = [server.onState(listener), server.onWriting(listener)]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}
