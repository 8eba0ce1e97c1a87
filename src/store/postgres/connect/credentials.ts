import type { ConnectionSettings, SecretSource } from '../../../model/connection.ts'
import type { DatabaseTrouble } from '../../../model/database.ts'
import { describeConnection } from '../../../model/print-connection.ts'
import { Secret } from '../../../model/secret.ts'
import { StoreTrouble } from '../../trouble.ts'
import { codeOf, type Machine } from './local-files.ts'
import { findInPgpass, passfilePath } from './pgpass.ts'
import { runSecretCommand } from './secret-command.ts'

/** Where a program keeps secrets for a person, such as the keychain of the system. */
export interface SecretVault {
  /** False: it cannot keep anything now; `read` and `write` would fail. */
  isAvailable(): Promise<boolean>
  /** null: nothing is kept under this id. */
  read(id: string): Promise<Secret | null>
  write(id: string, secret: Secret): Promise<void>
  remove(id: string): Promise<void>
}

export type SecretPurpose = 'password' | 'key-passphrase'

/** Asks a person; null when they close the question. May take as long as a person takes. */
export type AskSecret = (question: {
  readonly purpose: SecretPurpose
  /** Which connection, in words. */
  readonly connection: string
}) => Promise<Secret | null>

/** The secrets of one connection. Fetched when the server asks for one, then kept in memory until refused. */
export interface Credentials {
  /** What is known already, without asking anybody. */
  known(purpose: SecretPurpose): Secret | null
  /** Fetches from the source. Throws StoreTrouble: password-missing, secret-unavailable. */
  fetch(purpose: SecretPurpose): Promise<Secret>
  /** It was refused: forget it. True when the source may have another one without asking a person. */
  refuse(purpose: SecretPurpose): boolean
  /** For taking secrets out of foreign words. */
  all(): readonly Secret[]
}

export interface CredentialOptions {
  /** A password from a URL, a form or the test dialog; wins over the source. */
  readonly password?: Secret | null
  readonly keyPassphrase?: Secret | null
  readonly machine: Machine
  readonly vault?: SecretVault
  readonly ask?: AskSecret
  readonly commandTimeoutMs?: number
}

type SecretSettings = Pick<
  ConnectionSettings,
  'host' | 'hostAddress' | 'port' | 'database' | 'user' | 'password' | 'keyPassphrase' | 'sshHost'
>

export function makeCredentials(
  settings: SecretSettings & ConnectionSettings,
  options: CredentialOptions,
): Credentials {
  const connection = describeConnection(settings)
  const kept = new Map<SecretPurpose, Secret>()
  const seen: Secret[] = []
  const keep = (purpose: SecretPurpose, secret: Secret): Secret => {
    kept.set(purpose, secret)
    if (!seen.some((other) => other.isSame(secret))) seen.push(secret)
    return secret
  }
  if (options.password) keep('password', options.password)
  if (options.keyPassphrase) keep('key-passphrase', options.keyPassphrase)
  const sourceOf = (purpose: SecretPurpose): SecretSource =>
    purpose === 'password' ? settings.password : settings.keyPassphrase
  const fetching = new Map<SecretPurpose, Promise<Secret>>()
  const fetchNow = async (purpose: SecretPurpose): Promise<Secret> =>
    keep(
      purpose,
      await fetchSecret({ source: sourceOf(purpose), purpose, settings, connection, options }),
    )
  return {
    known: (purpose) => kept.get(purpose) ?? null,
    fetch(purpose) {
      // Several connections are opened at once; a person is asked once.
      const running = fetching.get(purpose)
      if (running !== undefined) return running
      const started = fetchNow(purpose).finally(() => fetching.delete(purpose))
      fetching.set(purpose, started)
      return started
    },
    refuse(purpose) {
      kept.delete(purpose)
      return sourceOf(purpose).from !== 'ask'
    },
    all: () => seen,
  }
}

interface Wanted {
  readonly source: SecretSource
  readonly purpose: SecretPurpose
  readonly settings: SecretSettings
  readonly connection: string
  readonly options: CredentialOptions
}

function fetchSecret(wanted: Wanted): Promise<Secret> {
  const { source } = wanted
  switch (source.from) {
    case 'ask':
      return askPerson(wanted)
    case 'pgpass':
      return lookUp(wanted, source.passfile)
    case 'command':
      return runCommand(wanted, source.argv)
    case 'stored':
      return readVault(wanted, source.id)
    default:
      throw new TypeError('no such source of secrets')
  }
}

async function askPerson({ options, purpose, connection }: Wanted): Promise<Secret> {
  const secret = await options.ask?.({ purpose, connection })
  if (!secret) throw trouble('password-missing', connection, { code: null })
  return secret
}

async function lookUp(wanted: Wanted, passfile: string | null): Promise<Secret> {
  const { settings, connection, options, purpose } = wanted
  const { machine } = options
  const fromEnvironment = purpose === 'password' ? (machine.env['PGPASSWORD'] ?? '') : ''
  if (fromEnvironment !== '') return new Secret(fromEnvironment)
  const path = passfilePath(machine, passfile)
  const answer = await findInPgpass(path, settings).catch((error: unknown) => {
    throw trouble('password-missing', connection, { code: codeOf(error), detail: path })
  })
  if (answer.outcome === 'found') return answer.secret
  throw answer.outcome === 'ignored'
    ? trouble('password-missing', connection, { code: answer.why, detail: answer.path })
    : trouble('password-missing', connection, { code: null })
}

async function runCommand(wanted: Wanted, argv: readonly string[]): Promise<Secret> {
  const { commandTimeoutMs } = wanted.options
  const answer = await runSecretCommand(
    argv,
    commandTimeoutMs === undefined ? {} : { timeoutMs: commandTimeoutMs },
  )
  if (answer.outcome === 'found') return answer.secret
  throw trouble('secret-unavailable', wanted.connection, answer)
}

async function readVault({ options, connection }: Wanted, id: string): Promise<Secret> {
  const { vault } = options
  let secret: Secret | null
  try {
    if (vault === undefined || !(await vault.isAvailable()))
      throw trouble('secret-unavailable', connection, { code: 'no-vault' })
    secret = await vault.read(id)
  } catch (error) {
    if (error instanceof StoreTrouble) throw error
    // Whatever the vault says may hold what it keeps.
    throw trouble('secret-unavailable', connection, { code: codeOf(error) })
  }
  if (secret === null) throw trouble('password-missing', connection, { code: 'not-stored' })
  return secret
}

function trouble(
  kind: DatabaseTrouble['kind'],
  path: string,
  { code, detail = null }: { readonly code: string | null; readonly detail?: string | null },
): StoreTrouble {
  return new StoreTrouble({ kind, path, code, detail })
}
