import { z } from 'zod'

import { ENVIRONMENTS, TLS_MODES } from '../model/connection.ts'

const LONGEST = 4096
const text = z
  .string()
  .max(LONGEST)
  .refine((typed) => !typed.includes('\0'), 'has a NUL')
  .refine((typed) => typed.isWellFormed(), 'not well-formed Unicode')
const path = text.min(1).nullable()

const secretSource = z.discriminatedUnion('from', [
  z.object({ from: z.literal('ask') }),
  z.object({ from: z.literal('pgpass'), passfile: path }),
  z.object({ from: z.literal('command'), argv: z.array(text).min(1).max(64).readonly() }),
  /** The id is the host's own; whatever is sent is replaced. */
  z.object({ from: z.literal('stored'), id: text }),
])

/** ConnectionSettings; whether they make sense is told by `findSettingsProblem`. */
export const connectionSettings = z.object({
  host: text,
  hostAddress: path,
  port: z.int(),
  database: text,
  user: text,
  schema: path,
  tls: z.object({ mode: z.enum(TLS_MODES), rootCert: path, cert: path, key: path }),
  sshHost: path,
  environment: z.enum(ENVIRONMENTS),
  password: secretSource,
  keyPassphrase: secretSource,
})

/** A secret on its one way from the screen to the host: as it was typed, or the one that `parse` took out of a text. */
const givenSecret = z.union([
  z.object({ typed: z.string().min(1).max(LONGEST) }),
  z.object({ heldId: z.string().max(64) }),
])

export const givenSecrets = z.object({
  password: givenSecret.optional(),
  keyPassphrase: givenSecret.optional(),
})

/** What is typed into the one field: long enough for any URL. */
export const connectionText = z.string().max(32_768)
export const connectionName = z.string().trim().min(1).max(200)
