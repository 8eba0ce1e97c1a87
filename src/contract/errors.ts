import { type } from '@orpc/contract'
import { z } from 'zod'

import type { DatabaseTrouble } from '../model/database.ts'

/**
 * The closed list of error codes every database procedure may answer with. Anything else is
 * `BAD_REQUEST` (input that does not fit its schema) or `INTERNAL_SERVER_ERROR` (a defect of ours).
 */
export const databaseErrors = {
  /** The database cannot be read or written now; `data` says why. Nothing was changed. */
  DATABASE_TROUBLE: { status: 503, data: type<DatabaseTrouble>() },
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
  UNKNOWN_DATABASE: { data: z.object({ databaseId: z.string() }) },
  /** This host cannot do that, for example show a native dialog in a browser. */
  UNSUPPORTED: {},
} as const
