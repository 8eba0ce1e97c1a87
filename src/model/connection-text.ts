import { Secret } from './secret.ts'

/** Why a connection cannot be understood. `subject` names a part, and never quotes what was typed: it may hold a password. */
export interface SettingsProblem {
  readonly code:
    | 'syntax'
    | 'percent-encoding'
    | 'several-hosts'
    | 'host'
    | 'port'
    | 'tls-mode'
    | 'weak-tls-mode'
    | 'unsupported'
    | 'unknown-service'
    | 'service-file'
    | 'ssh-host'
  readonly subject: string
}

/** Connection parameters by their libpq names, without secrets. */
export type Keywords = ReadonlyMap<string, string>

export type ParsedConnection =
  | {
      readonly ok: true
      readonly keywords: Keywords
      readonly password: Secret | null
      readonly keyPassphrase: Secret | null
    }
  | { readonly ok: false; readonly problem: SettingsProblem }

const SCHEME = /^postgres(?:ql)?:\/\//

/** Whether a word of a command line names a server rather than a file. */
export function isConnectionText(word: string): boolean {
  return SCHEME.test(word) || /^(?:host|hostaddr|service|dbname|user|port)=/.test(word)
}

/** Names other programs use for what libpq calls otherwise. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  currentSchema: 'schema',
  search_path: 'schema',
}

class Refused extends Error {
  readonly problem: SettingsProblem

  constructor(code: SettingsProblem['code'], subject: string) {
    super(code)
    this.problem = { code, subject }
  }
}

/** Reads `postgres://…`, `postgresql://…`, or libpq's `keyword=value …`. Secrets are taken out at once. */
export function parseConnectionText(text: string): ParsedConnection {
  try {
    const trimmed = text.trim()
    return withoutSecrets(SCHEME.test(trimmed) ? readUrl(trimmed) : readPairs(trimmed))
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem }
    throw error
  }
}

/** Splits secrets from the rest. Parameters without a value count as absent. */
export function withoutSecrets(all: Keywords): ParsedConnection & { ok: true } {
  const keywords = new Map([...all].filter(([, value]) => value !== ''))
  const take = (name: string): Secret | null => {
    const value = keywords.get(name)
    keywords.delete(name)
    return value === undefined ? null : new Secret(value)
  }
  return { ok: true, password: take('password'), keyPassphrase: take('sslpassword'), keywords }
}

function readUrl(text: string): Keywords {
  const keywords = new Map<string, string>()
  const rest = text.replace(SCHEME, '')
  const queryAt = rest.indexOf('?')
  const main = queryAt < 0 ? rest : rest.slice(0, queryAt)
  const slashAt = main.indexOf('/')
  const authority = slashAt < 0 ? main : main.slice(0, slashAt)
  const at = authority.indexOf('@')
  if (at >= 0) readUser(authority.slice(0, at), keywords)
  readHost(authority.slice(at + 1), keywords)
  const path = slashAt < 0 ? '' : main.slice(slashAt + 1)
  // Most likely a password with a slash in it; its parts must not become host and database.
  if (path.includes('@')) throw new Refused('host', 'host')
  keywords.set('dbname', decode(path, 'database'))
  if (queryAt >= 0) readQuery(rest.slice(queryAt + 1), keywords)
  return keywords
}

function readUser(text: string, keywords: Map<string, string>): void {
  const colonAt = text.indexOf(':')
  keywords.set('user', decode(colonAt < 0 ? text : text.slice(0, colonAt), 'user'))
  if (colonAt >= 0) keywords.set('password', decode(text.slice(colonAt + 1), 'password'))
}

function readHost(text: string, keywords: Map<string, string>): void {
  if (text.includes(',')) throw new Refused('several-hosts', 'host')
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(text)
  if (parts === null || text.includes('@')) throw new Refused('host', 'host')
  const [, bracketed, plain = '', port] = parts
  if (bracketed !== undefined && !/^[0-9a-fA-F:.]+(?:%.+)?$/.test(bracketed))
    throw new Refused('host', 'host')
  keywords.set('host', bracketed ?? decode(plain, 'host'))
  if (port !== undefined) keywords.set('port', decode(port, 'port'))
}

function readQuery(text: string, keywords: Map<string, string>): void {
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equalsAt = pair.indexOf('=')
    if (equalsAt <= 0) throw new Refused('syntax', 'parameters')
    const name = decode(pair.slice(0, equalsAt), 'parameters')
    setPair(keywords, name, decode(pair.slice(equalsAt + 1), 'parameters'))
  }
}

function setPair(keywords: Map<string, string>, name: string, value: string): void {
  // libpq takes this one over from JDBC.
  if (name === 'ssl' && value === 'true') keywords.set('sslmode', 'require')
  else keywords.set(OTHER_NAMES[name] ?? name, value)
}

function decode(text: string, subject: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new Refused('percent-encoding', subject)
  }
  if (decoded.includes('\0')) throw new Refused('percent-encoding', subject)
  return decoded
}

/** One `keyword = value`; the value may stand in single quotes, a backslash takes the next character as it is. */
const PAIR =
  /\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?!')(?:[^\s\\]|\\.)*))(?=\s|$)/sy

function readPairs(text: string): Keywords {
  const keywords = new Map<string, string>()
  PAIR.lastIndex = 0
  while (PAIR.lastIndex < text.length) {
    const found = PAIR.exec(text)
    if (found === null) throw new Refused('syntax', 'parameters')
    const [, name = '', quoted, plain = ''] = found
    setPair(keywords, name, (quoted ?? plain).replaceAll(/\\(.)/gs, '$1'))
    if (text.slice(PAIR.lastIndex).trim() === '') break
  }
  return keywords
}
