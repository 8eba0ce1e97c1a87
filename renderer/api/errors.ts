import { isDefinedError, ORPCError } from '@orpc/client'
import { z } from 'zod'

import { TROUBLE_KINDS } from '../../src/model/database.ts'
import type { DatabaseTrouble } from '../../src/model/database.ts'
import { describeTrouble } from '../../src/model/describe-trouble.ts'

const troubleSchema = z.object({
  kind: z.enum(TROUBLE_KINDS),
  path: z.string(),
  code: z.string().nullable(),
})

/** The trouble a failed call reports, or null when it failed for another reason. */
export function troubleOf(error: unknown): DatabaseTrouble | null {
  if (!(error instanceof ORPCError) || error.code !== 'DATABASE_TROUBLE') return null
  return troubleSchema.safeParse(error.data).data ?? null
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
