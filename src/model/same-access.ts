import type { ConnectionSettings } from './connection.ts'

/**
 * Whether a password that was given for the one may go to the other: the same user of the same server, reached
 * and verified in the same way. Database, schema and environment may differ.
 */
export function isSameAccess(one: ConnectionSettings, other: ConnectionSettings): boolean {
  return wayTo(one) === wayTo(other)
}

function wayTo({ host, hostAddress, port, user, tls, sshHost }: ConnectionSettings): string {
  const { mode, rootCert, cert, key } = tls
  return JSON.stringify([host, hostAddress, port, user, sshHost, mode, rootCert, cert, key])
}
