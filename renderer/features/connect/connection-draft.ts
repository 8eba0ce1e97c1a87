import {
  type SettingsDefaults,
  type SettingsResult,
  toConnectionSettings,
} from '../../../src/model/connection-settings.ts'
import { type Keywords, parseConnectionText } from '../../../src/model/connection-text.ts'
import type { SettingsProblem } from '../../../src/model/connection-text.ts'
import {
  type ConnectionSettings,
  type Environment,
  TLS_MODES,
  type TlsMode,
} from '../../../src/model/connection.ts'
import { printConnection } from '../../../src/model/print-connection.ts'
import { choiceOf, type PasswordChoice, toSecretSource } from './password-choice.ts'
import { withoutPassword } from './without-password.ts'

/** The form as it stands. Never holds a secret. */
export interface ConnectionDraft {
  /** The URL or the keyword=value text, as typed but for its password; follows the parts when they are edited. */
  readonly text: string
  /** Why `text` cannot be read; the parts are those of before. */
  readonly problem: SettingsProblem | null
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
  readonly schema: string
  readonly tlsMode: TlsMode
  readonly rootCert: string
  readonly cert: string
  readonly key: string
  readonly sshHost: string
  readonly environment: Environment
  /** False: guessed from the host until the person says otherwise. */
  readonly isEnvironmentChosen: boolean
  readonly password: PasswordChoice
  /** Parameters of the text that have no field. */
  readonly others: Keywords
  /** What stands in for empty fields; null: not known yet. */
  readonly defaults: ConnectionSettings | null
}

export const EMPTY_DRAFT: ConnectionDraft = {
  text: '',
  problem: null,
  host: '',
  port: '',
  database: '',
  user: '',
  schema: '',
  tlsMode: 'prefer',
  rootCert: '',
  cert: '',
  key: '',
  sshHost: '',
  environment: 'local',
  isEnvironmentChosen: false,
  password: { from: 'pgpass', passfile: '', command: '' },
  others: new Map(),
  defaults: null,
}

/** Which keyword of libpq fills which field. */
const FIELDS = {
  host: 'host',
  port: 'port',
  dbname: 'database',
  user: 'user',
  schema: 'schema',
  sslrootcert: 'rootCert',
  sslcert: 'cert',
  sslkey: 'key',
  ssh: 'sshHost',
} as const satisfies Record<string, keyof ConnectionDraft>

export type DraftPart = (typeof FIELDS)[keyof typeof FIELDS]

/** Takes a typed or pasted text into its parts. A password leaves the text at once. */
export function typeText(before: ConnectionDraft, text: string): ConnectionDraft {
  if (text.trim() === '') return { ...before, text, problem: null }
  const parsed = parseConnectionText(text)
  if (!parsed.ok) return { ...before, text, problem: parsed.problem }
  const draft = guess({ ...before, ...partsOf(parsed.keywords, before), text })
  const result = toSettings(draft)
  const shown = hasSecret(text) ? cutSecrets(text, draft) : text
  return { ...draft, text: shown, problem: result.ok ? null : result.problem }
}

function hasSecret(text: string): boolean {
  const parsed = parseConnectionText(text)
  return parsed.ok && (parsed.password !== null || parsed.keyPassphrase !== null)
}

/** As typed where the secret can be cut out, else written anew. */
function cutSecrets(text: string, draft: ConnectionDraft): string {
  const cut = withoutPassword(text)
  if (!hasSecret(cut)) return cut
  const result = toSettings(draft)
  return result.ok ? printDraft(draft, result.settings) : ''
}

function partsOf(keywords: Keywords, before: ConnectionDraft) {
  const parts: Partial<Record<DraftPart, string>> = {}
  const others = new Map(keywords)
  for (const [keyword, field] of Object.entries(FIELDS)) {
    parts[field] = keywords.get(keyword) ?? ''
    others.delete(keyword)
  }
  const mode = keywords.get('sslmode')
  const tlsMode = TLS_MODES.find((one) => one === mode)
  // A mode of another name stays among the others, where it is refused in words.
  if (tlsMode !== undefined) others.delete('sslmode')
  const passfile = keywords.get('passfile')
  others.delete('passfile')
  const password: PasswordChoice =
    passfile === undefined ? before.password : { ...before.password, from: 'pgpass', passfile }
  const isStrict = parts.rootCert === 'system' && mode === undefined
  return { ...parts, others, password, tlsMode: tlsMode ?? (isStrict ? 'verify-full' : 'prefer') }
}

/** Edits parts; the text follows. */
export function editDraft(
  before: ConnectionDraft,
  change: Partial<Omit<ConnectionDraft, 'text' | 'problem'>>,
): ConnectionDraft {
  const draft = guess({ ...before, ...change })
  const result = toSettings(draft)
  if (!result.ok) return { ...draft, problem: result.problem }
  return { ...draft, problem: null, text: printDraft(draft, result.settings) }
}

/** Environment, password source and name do not stand in a URL. */
function printDraft(draft: ConnectionDraft, settings: ConnectionSettings): string {
  if (draft.host === '' && draft.user === '' && draft.database === '') return ''
  const url = printConnection(settings).replace('//@', '//')
  const rest = [...draft.others].filter(([name]) => name !== 'hostaddr')
  return url + rest.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('')
}

/** What the form says, by libpq's names. */
function toKeywords(draft: ConnectionDraft): Keywords {
  const keywords = new Map([...keywordsOfDefaults(draft), ...draft.others])
  for (const [keyword, field] of Object.entries(FIELDS)) {
    const value = draft[field].trim()
    if (value !== '') keywords.set(keyword, value)
  }
  if (!keywords.has('sslmode')) keywords.set('sslmode', draft.tlsMode)
  return keywords
}

/** Where to connect is taken from the defaults only as a whole. */
function keywordsOfDefaults({ defaults, host }: ConnectionDraft): Keywords {
  const keywords = new Map<string, string>()
  if (defaults === null) return keywords
  if (defaults.database !== defaults.user) keywords.set('dbname', defaults.database)
  if (defaults.schema !== null) keywords.set('schema', defaults.schema)
  if (host.trim() !== '') return keywords
  keywords.set('port', String(defaults.port))
  if (defaults.hostAddress !== null) keywords.set('hostaddr', defaults.hostAddress)
  return keywords
}

function toDefaults({ defaults }: ConnectionDraft): SettingsDefaults {
  return {
    user: defaults?.user ?? '',
    host: defaults?.host ?? 'localhost',
    rootCert: defaults?.tls.rootCert ?? null,
    cert: defaults?.tls.cert ?? null,
    key: defaults?.tls.key ?? null,
  }
}

/** The settings the form describes, or what is wrong with them. */
export function toSettings(draft: ConnectionDraft): SettingsResult {
  return toConnectionSettings(toKeywords(draft), toDefaults(draft), {
    ...(draft.isEnvironmentChosen ? { environment: draft.environment } : {}),
    password: toSecretSource(draft.password),
    keyPassphrase: draft.password.from === 'stored' ? { from: 'stored', id: '' } : { from: 'ask' },
  })
}

function guess(draft: ConnectionDraft): ConnectionDraft {
  if (draft.isEnvironmentChosen) return draft
  const result = toSettings(draft)
  return result.ok ? { ...draft, environment: result.settings.environment } : draft
}

/** The form filled from settings the host knows. */
export function fillDraft(before: ConnectionDraft, settings: ConnectionSettings): ConnectionDraft {
  const { tls, hostAddress } = settings
  return editDraft(before, {
    others: new Map(hostAddress === null ? [] : [['hostaddr', hostAddress]]),
    host: settings.host,
    port: String(settings.port),
    database: settings.database,
    user: settings.user,
    schema: settings.schema ?? '',
    tlsMode: tls.mode,
    rootCert: tls.rootCert ?? '',
    cert: tls.cert ?? '',
    key: tls.key ?? '',
    sshHost: settings.sshHost ?? '',
  })
}

/** The same, with what a URL cannot say. */
export function draftOf(settings: ConnectionSettings): ConnectionDraft {
  const { environment } = settings
  const password = choiceOf(settings.password)
  return fillDraft({ ...EMPTY_DRAFT, environment, isEnvironmentChosen: true, password }, settings)
}
