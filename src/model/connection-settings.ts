import {
  type ConnectionSettings,
  type Environment,
  type SecretSource,
  TLS_MODES,
  type TlsMode,
  type TlsSettings,
} from './connection.ts'
import type { Keywords, SettingsProblem } from './connection-text.ts'
import { hasUnseen } from './unseen.ts'

/** What a keyword cannot say. */
export interface SettingsChoices {
  readonly environment?: Environment
  readonly password?: SecretSource
  readonly keyPassphrase?: SecretSource
  readonly sshHost?: string | null
}

/** What stands in for parameters that were not given. */
export interface SettingsDefaults {
  readonly user: string
  readonly host: string
  /** Files that libpq uses when they exist; null: they don't. */
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
}

export type SettingsResult =
  | {
      readonly ok: true
      readonly settings: ConnectionSettings
      /** Parameters that were given and change nothing here. */
      readonly ignored: readonly string[]
    }
  | { readonly ok: false; readonly problem: SettingsProblem }

const USED =
  'host hostaddr port dbname user schema options passfile service servicefile sslmode sslrootcert sslcert sslkey ssh'.split(
    ' ',
  )

/** Demands on security that are refused instead of being left out silently: each with the values that demand nothing. */
const DEMANDS: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['disable', 'prefer'],
  gssencmode: ['disable', 'prefer'],
  require_auth: [],
  requirepeer: [],
  sslcrl: [],
  sslcrldir: [],
  sslcertmode: ['allow', 'disable'],
  sslnegotiation: ['postgres'],
  ssl_min_protocol_version: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  target_session_attrs: ['any', 'prefer-standby'],
}

const MAX_PORT = 65_535
const DEFAULT_PORT = 5432

/** Makes settings of parameters, as libpq understands them. */
export function toConnectionSettings(
  keywords: Keywords,
  defaults: SettingsDefaults,
  choices: SettingsChoices = {},
): SettingsResult {
  for (const [name, harmless] of Object.entries(DEMANDS)) {
    const value = keywords.get(name)
    if (value !== undefined && !harmless.includes(value)) return refuse('unsupported', name)
  }
  const host = keywords.get('host') ?? keywords.get('hostaddr') ?? defaults.host
  const hostAddress = keywords.get('hostaddr') ?? null
  if (`${host}${hostAddress ?? ''}`.includes(',')) return refuse('several-hosts', 'host')
  if (!isHost(host)) return refuse('host', 'host')
  const port = toPort(keywords.get('port'))
  if (port === null) return refuse('port', 'port')
  const tls = toTls(keywords, defaults)
  if (typeof tls === 'string') return refuse(tls, 'sslmode')
  const sshHost = choices.sshHost ?? keywords.get('ssh') ?? null
  if (sshHost !== null && !isSshDestination(sshHost)) return refuse('ssh-host', 'ssh')
  if (sshHost !== null && host.startsWith('/')) return refuse('unsupported', 'ssh')
  const user = keywords.get('user') ?? defaults.user
  const settings: ConnectionSettings = {
    host,
    hostAddress,
    port,
    database: keywords.get('dbname') ?? user,
    user,
    schema: keywords.get('schema') ?? schemaOf(keywords.get('options') ?? ''),
    tls,
    sshHost,
    environment: choices.environment ?? guessEnvironment(host, sshHost),
    password: choices.password ?? { from: 'pgpass', passfile: keywords.get('passfile') ?? null },
    keyPassphrase: choices.keyPassphrase ?? { from: 'ask' },
  }
  return { ok: true, settings, ignored: [...keywords.keys()].filter((name) => isIgnored(name)) }
}

/** What is wrong with settings that did not come out of a text; null: nothing. */
export function findSettingsProblem(settings: ConnectionSettings): SettingsProblem | null {
  const { host, hostAddress, port, sshHost, tls } = settings
  if (`${host}${hostAddress ?? ''}`.includes(',')) return problem('several-hosts', 'host')
  if (host === '' || !isHost(host)) return problem('host', 'host')
  if (hostAddress !== null && !isHost(hostAddress)) return problem('host', 'host')
  if (toPort(String(port)) === null) return problem('port', 'port')
  if (tls.rootCert === 'system' && tls.mode !== 'verify-full')
    return problem('weak-tls-mode', 'sslmode')
  if (sshHost !== null && !isSshDestination(sshHost)) return problem('ssh-host', 'ssh')
  if (sshHost !== null && host.startsWith('/')) return problem('unsupported', 'ssh')
  return null
}

function problem(code: SettingsProblem['code'], subject: string): SettingsProblem {
  return { code, subject }
}

function refuse(code: SettingsProblem['code'], subject: string): SettingsResult {
  return { ok: false, problem: { code, subject } }
}

/** Remote databases are taken for the most delicate until a person says otherwise. */
function guessEnvironment(host: string, sshHost: string | null): Environment {
  const isHere = host.startsWith('/') || /^(localhost|127\.[\d.]+|::1)$/i.test(host)
  return isHere && sshHost === null ? 'local' : 'production'
}

function isIgnored(name: string): boolean {
  return !USED.includes(name)
}

function isHost(host: string): boolean {
  if (host.startsWith('/')) return true
  return !/[@/]/.test(host) && !hasUnseen(host)
}

/** An option of ssh would be taken for one even as a destination. */
function isSshDestination(destination: string): boolean {
  return destination !== '' && !destination.startsWith('-') && !hasUnseen(destination)
}

function toPort(text: string | undefined): number | null {
  if (text === undefined) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0
  return port >= 1 && port <= MAX_PORT ? port : null
}

function toTls(
  keywords: Keywords,
  defaults: SettingsDefaults,
): TlsSettings | 'tls-mode' | 'weak-tls-mode' {
  const rootCert = keywords.get('sslrootcert') ?? defaults.rootCert
  const given = keywords.get('sslmode')
  const isSystem = rootCert === 'system'
  // allow prefers plain; taking it for prefer is never less safe.
  const mode = given === 'allow' ? 'prefer' : (given ?? (isSystem ? 'verify-full' : 'prefer'))
  if (!isTlsMode(mode)) return 'tls-mode'
  if (isSystem && mode !== 'verify-full') return 'weak-tls-mode'
  return {
    mode,
    rootCert,
    cert: keywords.get('sslcert') ?? defaults.cert,
    key: keywords.get('sslkey') ?? defaults.key,
  }
}

function isTlsMode(text: string): text is TlsMode {
  return (TLS_MODES as readonly string[]).includes(text)
}

/** The schema in `-c search_path=…`, the one server option that is used. */
function schemaOf(options: string): string | null {
  const found = /(?:^|\s)(?:-c\s*|--)search_path=((?:\\.|\S)*)/.exec(options)?.[1]
  const path = found?.replaceAll(/\\(.)/g, '$1').split(',')[0]?.trim()
  if (path === undefined || path === '') return null
  return path.startsWith('"') ? path.slice(1, -1).replaceAll('""', '"') : path.toLowerCase()
}
