import type { ConnectionSettings } from './connection.ts'

/** The settings as a URL that reads back as the same, without secrets. */
export function printConnection(settings: ConnectionSettings): string {
  const { host, tls } = settings
  const isSocket = host.startsWith('/')
  const parameters: [string, string | null][] = [
    ['host', isSocket ? host : null],
    ['port', isSocket ? String(settings.port) : null],
    ['hostaddr', settings.hostAddress],
    ['schema', settings.schema],
    ['sslmode', tls.mode],
    ['sslrootcert', tls.rootCert],
    ['sslcert', tls.cert],
    ['sslkey', tls.key],
    ['ssh', settings.sshHost],
  ]
  const query = parameters
    .filter((pair): pair is [string, string] => pair[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${address(settings)}?${query.join('&')}`
}

/** The settings for a title or an error: who, where, which database. No parameters, no secrets. */
export function describeConnection(settings: ConnectionSettings): string {
  const text = address(settings)
  return settings.sshHost === null ? text : `${text} through ${settings.sshHost}`
}

function address({ host, port, user, database }: ConnectionSettings): string {
  const place = host.startsWith('/') ? '' : `${printHost(host)}:${port}`
  return `postgres://${encodeURIComponent(user)}@${place}/${encodeURIComponent(database)}`
}

function printHost(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host)
}
