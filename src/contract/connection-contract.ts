import { oc, type } from '@orpc/contract'
import { z } from 'zod'

import type { SettingsProblem } from '../model/connection-text.ts'
import type { ConnectionSettings, ConnectionTest } from '../model/connection.ts'
import type { VaultFacts } from '../model/vault.ts'
import {
  connectionName,
  connectionSettings,
  connectionText,
  givenSecrets,
} from './connection-schemas.ts'
import { connectionErrors } from './errors.ts'
import type { KnownConnection, OpenedDatabase } from './known-databases.ts'

/** What a text means. Secrets in it stay with the host for ten minutes; `heldId` stands for one in `secrets`. */
export type ParsedSettings =
  | {
      readonly ok: true
      readonly settings: ConnectionSettings
      /** As a URL without secrets: what the field should show from now on. */
      readonly printed: string
      /** Parameters that were given and change nothing here. */
      readonly ignored: readonly string[]
      readonly password: { readonly heldId: string } | null
      readonly keyPassphrase: { readonly heldId: string } | null
    }
  | { readonly ok: false; readonly problem: SettingsProblem }

const procedure = oc.errors(connectionErrors)
const databaseId = z.string().max(64)

/** Servers. A secret comes in by the one call that carries what the person typed, and never goes out again. */
export const connectionContract = {
  /** All saved ones by name, then those opened once, newest first. */
  list: procedure.output(type<readonly KnownConnection[]>()),
  /** A URL or `keyword=value` text, completed by the service file, PG* variables and libpq's defaults. */
  parse: procedure.input(z.object({ text: connectionText })).output(type<ParsedSettings>()),
  /** What libpq would connect to when nothing is given. */
  defaults: procedure.output(type<ParsedSettings>()),
  /** Connects, looks around, and closes again. `databaseId`: a stored secret of that connection may be used. */
  test: procedure
    .input(
      z.object({
        settings: connectionSettings,
        databaseId: databaseId.nullable().optional(),
        secrets: givenSecrets.optional(),
      }),
    )
    .output(type<ConnectionTest>()),
  /**
   * null: a new one. Secrets that are given, or still held for it, are kept in the vault where the settings say
   * `stored`; the next `open` takes them. A kept secret belongs to its user and server: it is removed when those
   * change. An open connection is closed and opened anew with the next call.
   */
  save: procedure
    .input(
      z.object({
        databaseId: databaseId.nullable(),
        name: connectionName,
        settings: connectionSettings,
        secrets: givenSecrets.optional(),
      }),
    )
    .output(type<KnownConnection>()),
  /** With its kept secrets; an open one is closed. An unknown id is fine. */
  remove: procedure.input(z.object({ databaseId })).output(type<null>()),
  /**
   * Connects. Call it before the first call to the database, also when a window comes back: it answers at once
   * when it is open already. With secrets, for one that is not connected, it connects anew. A typed secret is
   * kept in the vault where the settings say `stored`, once the server took it.
   */
  open: procedure
    .input(
      z.union([
        z.object({ databaseId, secrets: givenSecrets.optional() }),
        z.object({ settings: connectionSettings, secrets: givenSecrets.optional() }),
      ]),
    )
    .output(type<OpenedDatabase>()),
  vault: procedure.output(type<VaultFacts>()),
}
