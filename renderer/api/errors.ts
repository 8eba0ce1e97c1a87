import { isDefinedError, ORPCError } from '@orpc/client'
import { z } from 'zod'

import { TROUBLE_KINDS } from '../../src/model/database.ts'
import type { DatabaseTrouble } from '../../src/model/database.ts'
import type { SettingsProblem } from '../../src/model/connection-text.ts'
import { describeSettingsProblem } from '../../src/model/describe-settings-problem.ts'
import { describeTrouble } from '../../src/model/describe-trouble.ts'

const SETTINGS_PROBLEMS = [
  'syntax',
  'percent-encoding',
  'several-hosts',
  'host',
  'port',
  'tls-mode',
  'weak-tls-mode',
  'unsupported',
  'unknown-service',
  'service-file',
  'ssh-host',
] as const satisfies readonly SettingsProblem['code'][]

const troubleSchema = z.object({
  kind: z.enum(TROUBLE_KINDS),
  path: z.string(),
  code: z.string().nullable(),
  detail: z.string().nullish().default(null),
})

const secretNeededSchema = z.object({
  purpose: z.enum(['password', 'key-passphrase']),
  connection: z.string(),
  wasRefused: z.boolean(),
  ignoredPassfile: z
    .object({ path: z.string(), why: z.enum(['open-to-others', 'not-a-file']) })
    .optional(),
})

/** Which secret a connection lacks. */
export type SecretNeeded = z.infer<typeof secretNeededSchema>

const problemSchema = z.object({ code: z.enum(SETTINGS_PROBLEMS), subject: z.string() })

/** The trouble a failed call reports, or null when it failed for another reason. */
export function troubleOf(error: unknown): DatabaseTrouble | null {
  if (!(error instanceof ORPCError) || error.code !== 'DATABASE_TROUBLE') return null
  return troubleSchema.safeParse(error.data).data ?? null
}

/** The process that ran the call ended; another one may answer it. */
export function wasInterrupted(error: unknown): boolean {
  return troubleOf(error)?.kind === 'process-ended'
}

/** The secret to ask the person for, or null when the call failed for another reason. */
export function secretNeededOf(error: unknown): SecretNeeded | null {
  if (!(error instanceof ORPCError) || error.code !== 'SECRET_NEEDED') return null
  return secretNeededSchema.safeParse(error.data).data ?? null
}

export function isSecretExpired(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'SECRET_EXPIRED'
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'NOT_FOUND'
}

export function isWritingLocked(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'WRITING_LOCKED'
}

export function isUnknownDatabase(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'UNKNOWN_DATABASE'
}

function problemOf(error: unknown): SettingsProblem | null {
  if (!(error instanceof ORPCError) || error.code !== 'SETTINGS_PROBLEM') return null
  return problemSchema.safeParse(error.data).data ?? null
}

const COMMAND_REFUSED =
  'A new command for a password has to be confirmed outside of this page: in the window that asks for it, or in the terminal where browser mode was started.'
const COMMAND_TOO_LONG = 'It is too long to be shown to you whole: put it into a script.'

/** What any failed call means for the person: a title and one or two sentences. */
export function describeError(error: unknown): { readonly title: string; readonly detail: string } {
  const trouble = troubleOf(error)
  if (trouble !== null) {
    const { title, what, next } = describeTrouble(trouble)
    return { title, detail: `${what} ${next}` }
  }
  if (isNotFound(error)) {
    return {
      title: 'Not stored any more',
      detail: 'It was cleared away or replaced meanwhile. Nothing was changed here.',
    }
  }
  if (isWritingLocked(error)) {
    return {
      title: 'Writing is locked',
      detail: 'Nothing was changed. Unlock writing with W, then try again.',
    }
  }
  const problem = problemOf(error)
  if (problem !== null) {
    return { title: 'Not a usable connection', detail: describeSettingsProblem(problem) }
  }
  if (error instanceof ORPCError && error.code === 'COMMAND_NOT_CONFIRMED') {
    const isTooLong = z.object({ why: z.literal('too-long') }).safeParse(error.data).success
    return {
      title: 'The command was not confirmed',
      detail: `${isTooLong ? COMMAND_TOO_LONG : COMMAND_REFUSED} It was not run, and nothing was saved.`,
    }
  }
  if (error instanceof ORPCError && error.code === 'VAULT_UNAVAILABLE') {
    return {
      title: 'The password cannot be kept',
      detail: 'There is no keychain to keep it in, and nothing was saved. Choose “ask each time”.',
    }
  }
  if (error instanceof ORPCError && isDefinedError(error)) {
    return {
      title: 'Not possible here',
      detail: 'This window’s host cannot do that. Nothing was changed.',
    }
  }
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST') {
    return {
      title: 'Not a valid request',
      detail:
        'The address or a filter holds something that cannot be asked for. Nothing was changed.',
    }
  }
  if (error instanceof ORPCError && error.code === 'INTERNAL_SERVER_ERROR') {
    return {
      title: 'A defect of the inspector',
      detail: 'The details are in its log. Nothing was changed in the database by reading it.',
    }
  }
  return {
    title: 'No connection to the inspector',
    detail: 'It was stopped or is starting again. What is on screen stays; trying again is safe.',
  }
}
