import { randomUUID } from 'node:crypto'

import type { ActionName, ActionOutcome, Refusal } from '../../model/action.ts'
import type { AuditLine } from '../../model/audit.ts'
import type { TroubleKind } from '../../model/database.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import { type AuditLog, AuditUnavailable } from '../audit-log.ts'
import { WritingLocked } from '../write-lock.ts'

/** What is written down of an action before it is tried. */
export type Intent = Pick<AuditLine, 'action' | 'sessionId' | 'index' | 'guard'> & {
  readonly action: ActionName
}

export interface AuditContext {
  readonly log: AuditLog
  readonly database: string
  readonly clock: { now(): Date }
}

/** Writes the outcome of a noted intent; answers false when it could not be written. */
export type NoteOutcome = (outcome: string, detail: string) => Promise<boolean>

/** Puts an intent on the disk. Throws AuditUnavailable: then nothing may be done. */
export async function noteIntent(context: AuditContext, intent: Intent): Promise<NoteOutcome> {
  const line = { id: randomUUID(), database: context.database, ...intent }
  const at = (): string => context.clock.now().toISOString()
  await context.log.append({ ...line, phase: 'intent', at: at(), outcome: null, detail: null })
  return async (outcome, detail) => {
    try {
      await context.log.append({ ...line, phase: 'outcome', at: at(), outcome, detail })
      return true
    } catch (error) {
      if (error instanceof AuditUnavailable) return false
      throw error
    }
  }
}

export const OUTCOME_NOT_NOTED = 'The audit log could not be written: it holds the intent only.'

export interface AuditedAct {
  readonly act: () => Promise<ActionOutcome>
  /** Finds out what became of it when no answer came; null: it cannot be known. */
  readonly lookUp: () => Promise<ActionOutcome | null>
}

/** One guarded write between its intent and its outcome on record. Troubles that changed nothing are refusals. */
export async function audited(
  context: AuditContext,
  intent: Intent,
  { act, lookUp }: AuditedAct,
): Promise<ActionOutcome> {
  let note: NoteOutcome
  try {
    note = await noteIntent(context, intent)
  } catch (error) {
    if (!(error instanceof AuditUnavailable)) throw error
    return refused(
      'no-audit',
      `The audit log ${context.log.path} cannot be written, so nothing was changed.`,
    )
  }
  let outcome: ActionOutcome
  try {
    outcome = await act()
  } catch (error) {
    const isUnknown = error instanceof StoreTrouble && error.isOutcomeUnknown
    const found = isUnknown ? await lookUp() : toRefusal(error)
    if (found === null) {
      await note(outcomeOf(error), describeFailure(error))
      throw error
    }
    outcome = found
  }
  const isNoted = await note(outcome.outcome, outcome.detail)
  return isNoted ? outcome : { ...outcome, detail: `${outcome.detail} ${OUTCOME_NOT_NOTED}` }
}

function outcomeOf(error: unknown): 'unknown' | 'refused' | 'failed' {
  if (error instanceof StoreTrouble && error.isOutcomeUnknown) return 'unknown'
  return error instanceof WritingLocked ? 'refused' : 'failed'
}

function describeFailure(error: unknown): string {
  if (error instanceof WritingLocked) {
    return 'Writing was locked before it could be done. Nothing was changed.'
  }
  return error instanceof StoreTrouble ? error.message : 'An unexpected error.'
}

export function refused(reason: Refusal, detail: string): ActionOutcome {
  return { outcome: 'refused', reason, detail }
}

const REFUSALS: Partial<Record<TroubleKind, { reason: Refusal; detail: string }>> = {
  locked: {
    reason: 'busy',
    detail: 'Another program holds the write lock. Nothing was changed; try again in a moment.',
  },
  'read-only': {
    reason: 'read-only',
    detail: 'The file may not be written. Nothing was changed.',
  },
  'read-only-folder': {
    reason: 'read-only',
    detail: 'The folder of the file may not be written. Nothing was changed.',
  },
  'no-permission': {
    reason: 'read-only',
    detail: 'There is no permission to write the file. Nothing was changed.',
  },
  'lock-timeout': {
    reason: 'busy',
    detail:
      'Another transaction holds what had to be changed. Nothing was changed; try again in a moment.',
  },
  timeout: {
    reason: 'busy',
    detail: 'It took longer than it may. Nothing was changed; try again in a moment.',
  },
  'connection-lost': {
    reason: 'connection-lost',
    detail: 'The connection was lost before anything was changed.',
  },
  'server-shutting-down': {
    reason: 'connection-lost',
    detail: 'The server ended the connection before anything was changed.',
  },
  standby: {
    reason: 'read-only',
    detail: 'The server is a standby: it takes no writes. Nothing was changed.',
  },
  'read-only-server': {
    reason: 'read-only',
    detail: 'The server lets this connection read only. Nothing was changed.',
  },
  'no-right': {
    reason: 'read-only',
    detail: 'The role has no right to change these tables. Nothing was changed.',
  },
  incompatible: {
    reason: 'incompatible',
    detail: 'The tables of this database do not allow it. Nothing was changed.',
  },
}

/** A trouble in which the transaction was rolled back for a reason the person can act on; null for others. */
export function toRefusal(error: unknown): ActionOutcome | null {
  if (!(error instanceof StoreTrouble) || error.isOutcomeUnknown) return null
  const known = REFUSALS[error.trouble.kind]
  return known === undefined ? null : refused(known.reason, known.detail)
}
