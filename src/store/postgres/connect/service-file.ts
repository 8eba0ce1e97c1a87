import { join } from 'node:path'

import type { Keywords, SettingsProblem } from '../../../model/connection-text.ts'
import { type Machine, readText } from './local-files.ts'

export type ServiceAnswer =
  | { readonly ok: true; readonly keywords: Keywords }
  | { readonly ok: false; readonly problem: SettingsProblem }

/**
 * The parameters of a service: from `servicefile` or PGSERVICEFILE or `~/.pg_service.conf`, else from
 * `pg_service.conf` in PGSYSCONFDIR.
 */
export async function readService(
  name: string,
  machine: Machine,
  servicefile: string | undefined,
): Promise<ServiceAnswer> {
  const { env, home } = machine
  const own = servicefile ?? (env['PGSERVICEFILE'] || join(home, '.pg_service.conf'))
  const shared = join(env['PGSYSCONFDIR'] || '/etc/postgresql-common', 'pg_service.conf')
  for (const path of [own, shared]) {
    // oxlint-disable-next-line no-await-in-loop -- the second only when the first has no such service
    const text = await readText(path)
    const found = text === null ? null : findSection(text, name)
    if (found === 'malformed')
      return { ok: false, problem: { code: 'service-file', subject: path } }
    if (found !== null) return { ok: true, keywords: found }
  }
  return { ok: false, problem: { code: 'unknown-service', subject: own } }
}

function findSection(text: string, name: string): Keywords | 'malformed' | null {
  let found: Map<string, string> | null = null
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[')) {
      if (found !== null) return found
      if (line === `[${name}]`) found = new Map()
      continue
    }
    if (found === null) continue
    const equalsAt = line.indexOf('=')
    const keyword = line.slice(0, Math.max(equalsAt, 0))
    // A service that refers to another, or to LDAP, is not followed.
    if (!/^[a-z_]+$/.test(keyword) || keyword === 'service') return 'malformed'
    if (!found.has(keyword)) found.set(keyword, line.slice(equalsAt + 1))
  }
  return found
}
