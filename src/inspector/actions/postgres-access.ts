import { openForeignPostgres } from '../../store/postgres/foreign.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { ForeignAccess } from './writing.ts'

/** Writes over the connection that exists while writing is unlocked; the server itself waits for locks, up to its limit. */
export function postgresAccess(server: PostgresServer, onWritten: () => void): ForeignAccess {
  const { schema } = server.settings
  return {
    lockPatienceMs: null,
    open: (options) => ({
      ...openForeignPostgres({
        ...options,
        ...(schema === null ? {} : { schema }),
        write: (run) => server.write(run),
      }),
      close: onWritten,
    }),
  }
}
