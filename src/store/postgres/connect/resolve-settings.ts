import { existsSync } from 'node:fs'
import { join } from 'node:path'

import {
  type SettingsChoices,
  type SettingsDefaults,
  type SettingsResult,
  toConnectionSettings,
} from '../../../model/connection-settings.ts'
import {
  type Keywords,
  parseConnectionText,
  type SettingsProblem,
  withoutSecrets,
} from '../../../model/connection-text.ts'
import type { ConnectionSettings } from '../../../model/connection.ts'
import type { Secret } from '../../../model/secret.ts'
import { type Machine, postgresFolder } from './local-files.ts'
import { readService } from './service-file.ts'

/** What a person gave: a URL or `keyword=value` text, or the fields of a form by their libpq names. */
export type GivenConnection = { readonly text: string } | { readonly keywords: Keywords }

export type ResolvedSettings =
  | {
      readonly ok: true
      readonly settings: ConnectionSettings
      /** Given in the text or by the service; wins over every source. */
      readonly password: Secret | null
      readonly keyPassphrase: Secret | null
      readonly ignored: readonly string[]
    }
  | { readonly ok: false; readonly problem: SettingsProblem }

/** PGPASSWORD is looked at when a password is needed, PGAPPNAME never. */
const VARIABLES: Readonly<Record<string, string>> = {
  PGHOST: 'host',
  PGHOSTADDR: 'hostaddr',
  PGPORT: 'port',
  PGDATABASE: 'dbname',
  PGUSER: 'user',
  PGOPTIONS: 'options',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGSSLCRL: 'sslcrl',
  PGSSLCRLDIR: 'sslcrldir',
  PGSSLCERTMODE: 'sslcertmode',
  PGSSLNEGOTIATION: 'sslnegotiation',
  PGSSLMINPROTOCOLVERSION: 'ssl_min_protocol_version',
  PGCHANNELBINDING: 'channel_binding',
  PGREQUIREAUTH: 'require_auth',
  PGREQUIREPEER: 'requirepeer',
  PGGSSENCMODE: 'gssencmode',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
}

const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp']

/** Settings in libpq's order: what was given, the service, the environment, the defaults. Reads files, connects nowhere. */
export async function resolveSettings(
  given: GivenConnection,
  machine: Machine,
  choices: SettingsChoices = {},
): Promise<ResolvedSettings> {
  const parsed = 'text' in given ? parseConnectionText(given.text) : withoutSecrets(given.keywords)
  if (!parsed.ok) return parsed
  const environment = fromEnvironment(machine)
  const name = parsed.keywords.get('service') ?? machine.env['PGSERVICE'] ?? ''
  let service: Keywords = new Map()
  if (name !== '') {
    const answer = await readService(name, machine, parsed.keywords.get('servicefile'))
    if (!answer.ok) return answer
    service = answer.keywords
  }
  const fromService = withoutSecrets(service)
  const keywords = new Map([...environment, ...fromService.keywords, ...parsed.keywords])
  const result: SettingsResult = toConnectionSettings(
    keywords,
    defaultsOf(machine, keywords, (choices.sshHost ?? keywords.get('ssh') ?? null) !== null),
    choices,
  )
  if (!result.ok) return result
  return {
    ...result,
    password: parsed.password ?? fromService.password,
    keyPassphrase: parsed.keyPassphrase ?? fromService.keyPassphrase,
  }
}

function fromEnvironment({ env }: Machine): Keywords {
  const pairs = Object.entries(VARIABLES).map(([variable, keyword]) => [
    keyword,
    env[variable] ?? '',
  ])
  return new Map(pairs.filter(([, value]) => value !== '') as [string, string][])
}

function defaultsOf(machine: Machine, keywords: Keywords, isTunnelled: boolean): SettingsDefaults {
  const inFolder = (name: string): string | null => {
    const path = join(postgresFolder(machine), name)
    return existsSync(path) ? path : null
  }
  const port = keywords.get('port') ?? '5432'
  const socket = SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`))
  return {
    user: machine.user,
    host: isTunnelled ? 'localhost' : (socket ?? 'localhost'),
    rootCert: inFolder('root.crt'),
    cert: inFolder('postgresql.crt'),
    key: inFolder('postgresql.key'),
  }
}
