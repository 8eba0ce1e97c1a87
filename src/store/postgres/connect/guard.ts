import type { ConnectionLimits } from '../../../model/connection.ts'
import type { Statement } from '../connection.ts'
import { quoteIdentifier } from '../schema.ts'

/** What a connection is for. */
export interface ClientRole {
  readonly name: 'interactive' | 'background' | 'writer'
  readonly isReadOnly: boolean
  readonly limits: ConnectionLimits
}

export const APPLICATION_NAME = 'a2-inspector'

const SHARED = { lockTimeoutMs: 1_000, idleInTransactionTimeoutMs: 10_000 }

export const ROLES = {
  interactive: {
    name: 'interactive',
    isReadOnly: true,
    limits: { ...SHARED, statementTimeoutMs: 5_000 },
  },
  background: {
    name: 'background',
    isReadOnly: true,
    limits: { ...SHARED, statementTimeoutMs: 60_000 },
  },
  writer: {
    name: 'writer',
    isReadOnly: false,
    limits: { ...SHARED, statementTimeoutMs: 5_000 },
  },
} as const satisfies Record<string, ClientRole>

/** Without it a server keeps the session of a line that was cut silently for two hours, beside the new one. */
export const SERVER_KEEPALIVE: readonly Setting[] = [
  ['tcp_keepalives_idle', '15'],
  ['tcp_keepalives_interval', '5'],
  ['tcp_keepalives_count', '3'],
]

type Setting = readonly [name: string, value: string]

/** The settings of a connection, by their names in the server. */
export function settingsOf(role: ClientRole, schema: string | null): readonly Setting[] {
  const { limits } = role
  return [
    ['default_transaction_read_only', role.isReadOnly ? 'on' : 'off'],
    ['statement_timeout', String(limits.statementTimeoutMs)],
    ['lock_timeout', String(limits.lockTimeoutMs)],
    ['idle_in_transaction_session_timeout', String(limits.idleInTransactionTimeoutMs)],
    ...(schema === null ? [] : [['search_path', quoteIdentifier(schema)] as const]),
  ]
}

/** The settings as the startup packet carries them: in force before the first statement, without a round trip. */
export function startupOptions(settings: readonly Setting[]): string {
  return settings
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`)
    .join(' ')
}

/**
 * The same for one transaction, where a pooler hands out another session each time. It follows the
 * `begin`; the access mode cannot be changed any more once it has run.
 */
export function transactionSettings(
  role: ClientRole,
  settings: readonly Setting[],
): readonly Statement[] {
  const local = settings.filter(([name]) => name !== 'default_transaction_read_only')
  const calls = local.map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`)
  return [
    { sql: `set transaction ${role.isReadOnly ? 'read only' : 'read write'}`, params: [] },
    { sql: `select ${calls.join(', ')}`, params: local.flat() },
  ]
}
