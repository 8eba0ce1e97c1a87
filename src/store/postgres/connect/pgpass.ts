import { join } from 'node:path'

import { Secret } from '../../../model/secret.ts'
import { type Machine, privacyOf, readText } from './local-files.ts'

/** What a line of the password file is looked up by. */
export interface PgpassKey {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

export type PgpassAnswer =
  | { readonly outcome: 'found'; readonly secret: Secret }
  | { readonly outcome: 'none' }
  /** The file is left unread, as libpq does: others may read it, or it is no file. */
  | {
      readonly outcome: 'ignored'
      readonly path: string
      readonly why: 'open-to-others' | 'not-a-file'
    }

const DEFAULT_SOCKET_FOLDERS = ['/var/run/postgresql', '/run/postgresql', '/tmp']

/** `PGPASSFILE`, or `~/.pgpass`. */
export function passfilePath(machine: Machine, given: string | null): string {
  if (given !== null) return given
  const { env, home } = machine
  const appData = env['APPDATA']
  if (env['PGPASSFILE']) return env['PGPASSFILE']
  return process.platform === 'win32' && appData !== undefined
    ? join(appData, 'postgresql', 'pgpass.conf')
    : join(home, '.pgpass')
}

/** The password of the first line that fits. Throws what the file system throws, but for an absent file. */
export async function findInPgpass(path: string, key: PgpassKey): Promise<PgpassAnswer> {
  const privacy = await privacyOf(path)
  if (privacy === 'absent') return { outcome: 'none' }
  if (privacy !== 'private') return { outcome: 'ignored', path, why: privacy }
  const host = DEFAULT_SOCKET_FOLDERS.includes(key.host) ? 'localhost' : key.host
  const wanted = [host, String(key.port), key.database, key.user]
  for (const line of ((await readText(path)) ?? '').split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = splitLine(line)
    if (fields === null || !wanted.every((text, at) => fits(fields.keys[at]!, text))) continue
    if (fields.password !== '') return { outcome: 'found', secret: new Secret(fields.password) }
  }
  return { outcome: 'none' }
}

/** Four fields end at a colon without a backslash before it; the password is the rest of the line. */
const LINE = /^((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):(.*)$/s

function splitLine(line: string): { readonly keys: string[]; readonly password: string } | null {
  const parts = LINE.exec(line)
  if (parts === null) return null
  return { keys: parts.slice(1, 5), password: unescape(parts[5]!) }
}

function fits(field: string, text: string): boolean {
  return field === '*' || unescape(field) === text
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1')
}
