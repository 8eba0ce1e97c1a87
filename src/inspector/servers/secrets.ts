import type { ConnectionSettings } from '../../model/connection.ts'
import type { DatabaseTrouble } from '../../model/database.ts'
import type { Secret } from '../../model/secret.ts'

/** What a person gave, or the vault; null: nothing. */
export interface Secrets {
  readonly password: Secret | null
  readonly keyPassphrase: Secret | null
}

export const NO_SECRETS: Secrets = { password: null, keyPassphrase: null }

export function hasSecrets({ password, keyPassphrase }: Secrets): boolean {
  return password !== null || keyPassphrase !== null
}

/** The first, filled up with the other. */
export function over(first: Secrets, other: Secrets): Secrets {
  return {
    password: first.password ?? other.password,
    keyPassphrase: first.keyPassphrase ?? other.keyPassphrase,
  }
}

/** A server of the list, as the part that connects needs it. */
export interface ServerIdentity {
  readonly name: string | null
  readonly settings: ConnectionSettings
}

/** Why there is no connection. Can be sent to another process. */
export interface ConnectFailure {
  readonly trouble: DatabaseTrouble
  /** What a person has to be asked for; null: no secret would help. */
  readonly needed: 'password' | 'key-passphrase' | null
}

/** Whoever owns the vault has given what was in it; without that a person is asked. */
export function withoutVault(settings: ServerIdentity['settings']): ServerIdentity['settings'] {
  const { password, keyPassphrase } = settings
  return {
    ...settings,
    password: password.from === 'stored' ? { from: 'ask' } : password,
    keyPassphrase: keyPassphrase.from === 'stored' ? { from: 'ask' } : keyPassphrase,
  }
}

/** What a person has to be asked for after a failure. `asked`: what somebody was asked for in vain. */
export function neededFor(
  { kind }: DatabaseTrouble,
  { password }: ConnectionSettings,
  asked: ConnectFailure['needed'],
): ConnectFailure['needed'] {
  if (asked !== null) return asked
  if (kind === 'password-missing') return 'password'
  return kind === 'auth-failed' && password.from !== 'command' ? 'password' : null
}
