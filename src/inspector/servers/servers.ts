import { randomUUID } from 'node:crypto'

import type {
  HostClient,
  KnownConnection,
  OpenedDatabase,
  ParsedSettings,
} from '../../contract/index.ts'
import { findSettingsProblem } from '../../model/connection-settings.ts'
import type { SettingsProblem } from '../../model/connection-text.ts'
import type { ConnectionSettings, ConnectionTest } from '../../model/connection.ts'
import { findIgnoredPassfile } from '../../model/describe-trouble.ts'
import { describeConnection, printConnection } from '../../model/print-connection.ts'
import { Secret } from '../../model/secret.ts'
import type { VaultFacts } from '../../model/vault.ts'
import { type Machine, thisMachine } from '../../store/postgres/connect/local-files.ts'
import { resolveSettings } from '../../store/postgres/connect/resolve-settings.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import { type Connections, toDatabaseId, toOpenedConnection } from '../connections.ts'
import { type SavedConnection, toKnownConnection } from '../saved-connections.ts'
import { CommandGuard, type ConfirmCommand } from './command-guard.ts'
import { GivenSecrets } from './given-secrets.ts'
import { HeldSecrets } from './held-secrets.ts'
import {
  type ConnectFailure,
  hasSecrets,
  NO_SECRETS,
  over,
  type Secrets,
  type ServerIdentity,
} from './secrets.ts'
import { ServerError } from './server-error.ts'
import {
  isToBeStored,
  readStored,
  removeStored,
  withVaultIds,
  writeStored,
} from './stored-secrets.ts'
import type { Vault } from './vault.ts'

type Inputs = {
  readonly [Name in 'test' | 'save' | 'open']: Parameters<HostClient['connections'][Name]>[0]
}
type SentSecrets = Inputs['save']['secrets']

export interface ServersOptions {
  readonly connections: Connections
  readonly vault: Vault
  /** Connects where the database's questions will be answered; at once when it is connected there. */
  readonly connect: (databaseId: string, secrets: Secrets | null) => Promise<ConnectFailure | null>
  /** Closes what is open of it. */
  readonly disconnect: (databaseId: string) => Promise<void>
  /** Asks the person outside of the screens; without it no new command is run. */
  readonly confirmCommand?: ConfirmCommand
  readonly machine?: Machine
  readonly now?: () => number
}

/** The procedures about servers. Secrets come in and stay in. */
export class Servers {
  readonly #options: ServersOptions
  readonly #machine: Machine
  readonly #held = new HeldSecrets()
  readonly #commands: CommandGuard
  readonly #given = new GivenSecrets()

  constructor(options: ServersOptions) {
    this.#options = options
    this.#machine = options.machine ?? thisMachine()
    const { connections, confirmCommand = async () => false } = options
    this.#commands = new CommandGuard(connections.servers, confirmCommand)
  }

  list(): readonly KnownConnection[] {
    const all = this.#options.connections.servers.all().map((saved) => this.#toKnown(saved))
    return [
      ...all.filter(isSaved).toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? '')),
      ...all
        .filter((one) => !isSaved(one))
        .toSorted((a, b) => (b.openedAt ?? 0) - (a.openedAt ?? 0)),
    ]
  }

  async parse(text: string): Promise<ParsedSettings> {
    const resolved = await resolveSettings({ text }, this.#machine)
    if (!resolved.ok) return resolved
    const { settings, ignored } = resolved
    return {
      ok: true,
      settings,
      printed: printConnection(settings),
      ignored,
      password: this.#hold(resolved.password),
      keyPassphrase: this.#hold(resolved.keyPassphrase),
    }
  }

  async test({ settings, databaseId, secrets }: Inputs['test']): Promise<ConnectionTest> {
    assertSensible(settings)
    await this.#commands.assertConfirmed(settings)
    const { vault } = this.#options
    const named = withVaultIds(databaseId ?? '', settings)
    const given = over(this.#take(secrets), this.#given.find(databaseId ?? '', settings))
    const stored = databaseId === undefined ? NO_SECRETS : await readStored(vault, named)
    // With the driver, which nothing else here needs.
    const { testServer } = await import('./test-server.ts')
    const answer = await testServer(named, over(given, stored), this.#machine)
    if ('failure' in answer) throw toError(answer.failure, named)
    return answer.test
  }

  async save({ databaseId, name, settings, secrets }: Inputs['save']): Promise<KnownConnection> {
    assertSensible(settings)
    await this.#commands.assertConfirmed(settings)
    const { connections, vault, disconnect } = this.#options
    const before = databaseId === null ? undefined : connections.servers.find(databaseId)
    const id = before?.databaseId ?? this.#newId(settings, { isNew: true })
    const named = withVaultIds(id, settings)
    const given = over(this.#take(secrets), this.#given.find(id, named))
    if (isToBeStored(named, given)) {
      const facts = await vault.facts()
      if (!facts.isAvailable) throw new ServerError('VAULT_UNAVAILABLE', facts)
      await writeStored(vault, named, given)
    }
    const known = before ?? connections.servers.find(id)
    const saved = { databaseId: id, name, settings: named, openedAt: known?.openedAt ?? null }
    connections.servers.put(saved)
    if (known !== undefined) {
      await removeStored(vault, known.settings, named)
      const hasChanged =
        JSON.stringify([known.name, known.settings]) !== JSON.stringify([name, named])
      if (hasChanged) await disconnect(id)
    }
    // Saving closes it: that alone is no reason to ask again.
    this.#given.keepForNext(id, named, given)
    return this.#toKnown(saved)
  }

  async remove(databaseId: string): Promise<void> {
    const { connections, vault, disconnect } = this.#options
    const known = connections.servers.find(databaseId)
    if (known === undefined) return
    connections.servers.remove(databaseId)
    this.#given.drop(databaseId)
    await disconnect(databaseId)
    await removeStored(vault, known.settings, null)
  }

  async open(input: Inputs['open']): Promise<OpenedDatabase> {
    const { connections, vault, connect, now = Date.now } = this.#options
    if ('settings' in input) {
      assertSensible(input.settings)
      await this.#commands.assertConfirmed(input.settings)
    }
    const server =
      'settings' in input ? this.#register(input.settings) : this.#find(input.databaseId)
    const { databaseId, settings } = server
    const given = this.#take(input.secrets)
    const before =
      'settings' in input
        ? this.#given.find(databaseId, settings)
        : this.#given.findForNext(databaseId, settings)
    const secrets = over(given, before)
    const failure = await connect(databaseId, hasSecrets(secrets) ? secrets : null)
    if (failure !== null) {
      // A target that never answered is not worth remembering.
      if ('settings' in input && server.name === null && server.openedAt === null) {
        await this.remove(databaseId)
      }
      throw toError(failure, settings)
    }
    if (server.name === null) this.#given.keep(databaseId, settings, secrets)
    else this.#given.drop(databaseId)
    if (isToBeStored(settings, given)) await writeStored(vault, settings, given).catch(() => {})
    const current = connections.servers.find(databaseId) ?? server
    connections.servers.put({ ...current, openedAt: now() })
    return toOpenedConnection(server)
  }

  /** For the command line: what a text means, ready to be opened by a screen. */
  async prepare(
    text: string,
  ): Promise<{ readonly databaseId: string } | { readonly problem: SettingsProblem }> {
    const resolved = await resolveSettings({ text }, this.#machine)
    if (!resolved.ok) return resolved
    const { databaseId } = this.#register(resolved.settings)
    const { password, keyPassphrase } = resolved
    this.#given.keepForNext(databaseId, resolved.settings, { password, keyPassphrase })
    return { databaseId }
  }

  vault(): Promise<VaultFacts> {
    return this.#options.vault.facts()
  }

  #find(databaseId: string): SavedConnection {
    const found = this.#options.connections.servers.find(databaseId)
    if (found === undefined) throw new ServerError('UNKNOWN_DATABASE', { databaseId })
    return found
  }

  /** The entry for settings that were opened without saving them; a saved one of the same target is taken instead. */
  #register(settings: ConnectionSettings): SavedConnection {
    assertSensible(settings)
    const { servers } = this.#options.connections
    const databaseId = this.#newId(settings, { isNew: false })
    const known = servers.find(databaseId)
    if (known !== undefined && known.name !== null) return known
    const entry = {
      databaseId,
      name: null,
      settings: withVaultIds(databaseId, settings),
      openedAt: known?.openedAt ?? null,
    }
    servers.put(entry)
    return entry
  }

  /** The same for the same target, so that a window finds it again; another one where that is taken by a connection that was edited. */
  #newId(settings: ConnectionSettings, { isNew }: { readonly isNew: boolean }): string {
    const printed = printConnection(settings)
    const databaseId = toDatabaseId(`postgres\0${printed}`)
    const known = this.#options.connections.servers.find(databaseId)
    if (known === undefined || known.name === null) return databaseId
    const isTheSame = printConnection(known.settings) === printed
    return isTheSame && !isNew ? databaseId : randomUUID()
  }

  #toKnown(saved: SavedConnection): KnownConnection {
    const isHeld = this.#given.find(saved.databaseId, saved.settings).password !== null
    return { ...toKnownConnection(saved), ...(isHeld ? { isPasswordHeld: true } : {}) }
  }

  #hold(secret: Secret | null): { readonly heldId: string } | null {
    return secret === null ? null : { heldId: this.#held.hold(secret) }
  }

  #take(given: SentSecrets): Secrets {
    const one = (secret: NonNullable<SentSecrets>['password']): Secret | null => {
      if (secret === undefined) return null
      if ('typed' in secret) return new Secret(secret.typed)
      const held = this.#held.find(secret.heldId)
      if (held === undefined) throw new ServerError('SECRET_EXPIRED')
      return held
    }
    return { password: one(given?.password), keyPassphrase: one(given?.keyPassphrase) }
  }
}

function isSaved({ name }: KnownConnection): boolean {
  return name !== null
}

/** For whoever starts the connecting part: who it is, and what the vault has for it. */
export async function recallServer(
  { connections, vault }: Pick<ServersOptions, 'connections' | 'vault'>,
  databaseId: string,
): Promise<{ readonly identity: ServerIdentity; readonly secrets: Secrets } | undefined> {
  const found = connections.servers.find(databaseId)
  if (found === undefined) return undefined
  const { name, settings } = found
  return { identity: { name, settings }, secrets: await readStored(vault, settings) }
}

function assertSensible(settings: ConnectionSettings): void {
  const problem = findSettingsProblem(settings)
  if (problem !== null) throw new ServerError('SETTINGS_PROBLEM', problem)
}

function toError({ trouble, needed }: ConnectFailure, settings: ConnectionSettings): Error {
  if (needed === null) return new StoreTrouble(trouble)
  const ignored = findIgnoredPassfile(trouble)
  return new ServerError('SECRET_NEEDED', {
    purpose: needed,
    connection: describeConnection(settings),
    wasRefused: trouble.kind === 'auth-failed',
    ...(ignored === null ? {} : { ignoredPassfile: ignored }),
  })
}
