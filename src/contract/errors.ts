import { type } from '@orpc/contract'
import { z } from 'zod'

import type { SettingsProblem } from '../model/connection-text.ts'
import type { DatabaseTrouble } from '../model/database.ts'
import type { VaultFacts } from '../model/vault.ts'

/** The same everywhere: one whose status differed from its contract's would count as a defect. */
const trouble = { status: 503, data: type<DatabaseTrouble>() } as const

/**
 * The closed list of error codes every database procedure may answer with. Anything else is
 * `BAD_REQUEST` (input that does not fit its schema) or `INTERNAL_SERVER_ERROR` (a defect of ours).
 */
export const databaseErrors = {
  /** The database cannot be read or written now; `data` says why. Nothing was changed. */
  DATABASE_TROUBLE: trouble,
  /** What was asked for is not stored (any more). */
  NOT_FOUND: {
    data: z.object({ what: z.enum(['session', 'event', 'snapshot', 'view']) }),
  },
  /** A write was asked for while writing is locked. Nothing was changed. */
  WRITING_LOCKED: { status: 423 },
} as const

/** Errors of the host procedures. */
export const hostErrors = {
  /** Not known to this host: never opened here, or forgotten. */
  UNKNOWN_DATABASE: { status: 404, data: z.object({ databaseId: z.string() }) },
  /** This host cannot do that, for example show a native dialog in a browser. */
  UNSUPPORTED: {},
} as const

/** Errors of the procedures that connect. What was typed is never repeated in them. */
export const connectionErrors = {
  ...hostErrors,
  /** The server, or the way to it, refused; nothing stays open. */
  DATABASE_TROUBLE: trouble,
  /** Ask the person, and call again with the secret. `wasRefused`: the one given, or kept, was wrong. */
  SECRET_NEEDED: {
    status: 401,
    data: z.object({
      purpose: z.enum(['password', 'key-passphrase']),
      /** Which connection, in words. */
      connection: z.string(),
      wasRefused: z.boolean(),
      /** A password file that was left unread, which may be why; absent: none was. */
      ignoredPassfile: z
        .object({ path: z.string(), why: z.enum(['open-to-others', 'not-a-file']) })
        .optional(),
    }),
  },
  /** The settings make no sense; texts in `describeSettingsProblem`. */
  SETTINGS_PROBLEM: { status: 422, data: type<SettingsProblem>() },
  /** The secret that a text held is kept for ten minutes, and is gone. Ask the person to type it again. */
  SECRET_EXPIRED: { status: 410 },
  /**
   * A program that gives a secret is new, and the person did not say, outside of the screens, that it may be run.
   * It was not run, and nothing was saved. `too-long`: it could not be shown to them whole.
   */
  COMMAND_NOT_CONFIRMED: {
    status: 403,
    data: z.object({ connection: z.string(), why: z.enum(['refused', 'too-long']) }),
  },
  /** A secret should be kept, and cannot be. Nothing was saved. */
  VAULT_UNAVAILABLE: { status: 409, data: type<VaultFacts>() },
} as const
