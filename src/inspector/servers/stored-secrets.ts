import { createHash } from 'node:crypto'

import type { ConnectionSettings, SecretSource } from '../../model/connection.ts'
import { describeConnection } from '../../model/print-connection.ts'
import type { Secret } from '../../model/secret.ts'
import { NO_SECRETS, type Secrets } from './secrets.ts'
import type { Vault } from './vault.ts'

type Purpose = keyof Secrets
const PURPOSES: readonly Purpose[] = ['password', 'keyPassphrase']

/**
 * The settings with the vault's own ids in them. An id names the connection, the server and the user: whoever
 * points a connection at another server does not get the kept secret sent there.
 */
export function withVaultIds(databaseId: string, settings: ConnectionSettings): ConnectionSettings {
  const target = JSON.stringify([describeConnection(settings), settings.hostAddress])
  const hash = createHash('sha256').update(target).digest('base64url').slice(0, 22)
  const named = (purpose: Purpose): SecretSource =>
    settings[purpose].from === 'stored'
      ? { from: 'stored', id: `${databaseId}.${purpose}.${hash}` }
      : settings[purpose]
  return { ...settings, password: named('password'), keyPassphrase: named('keyPassphrase') }
}

/** What the vault keeps for these settings. What it cannot give counts as not kept: a person is asked. */
export async function readStored(vault: Vault, settings: ConnectionSettings): Promise<Secrets> {
  const read = async (purpose: Purpose): Promise<Secret | null> => {
    const id = idOf(settings, purpose)
    return id === null ? null : vault.read(id).catch(() => null)
  }
  const [password, keyPassphrase] = await Promise.all([read('password'), read('keyPassphrase')])
  return { ...NO_SECRETS, password, keyPassphrase }
}

/** Whether one of these secrets has to be kept. */
export function isToBeStored(settings: ConnectionSettings, secrets: Secrets): boolean {
  return PURPOSES.some((purpose) => idOf(settings, purpose) !== null && secrets[purpose] !== null)
}

/** Keeps those that the settings want kept. Rejects when the vault does. */
export async function writeStored(
  vault: Vault,
  settings: ConnectionSettings,
  secrets: Secrets,
): Promise<void> {
  for (const purpose of PURPOSES) {
    const [id, secret] = [idOf(settings, purpose), secrets[purpose]]
    // oxlint-disable-next-line no-await-in-loop -- one file
    if (id !== null && secret !== null) await vault.write(id, secret)
  }
}

/** Removes what was kept for the settings of before and is not for those of now; null: there are none now. */
export async function removeStored(
  vault: Vault,
  before: ConnectionSettings,
  now: ConnectionSettings | null,
): Promise<void> {
  for (const purpose of PURPOSES) {
    const id = idOf(before, purpose)
    if (id === null || (now !== null && idOf(now, purpose) === id)) continue
    // oxlint-disable-next-line no-await-in-loop -- one file
    await vault.remove(id)
  }
}

function idOf(settings: ConnectionSettings, purpose: Purpose): string | null {
  const source = settings[purpose]
  return source.from === 'stored' ? source.id : null
}
