import type { ActionOutcome, RedriveAction } from '../../model/action.ts'
import type { EventRow } from '../../model/event.ts'
import type { Reader } from '../reader.ts'
import { refused } from './audited.ts'
import type { LookUp } from './look-up.ts'
import { withWriter, type WriteContext } from './writing.ts'

export interface RedriveWanted {
  readonly sessionId: string
  readonly index: number
  readonly action: RedriveAction
}

/** Retries or skips a dead letter if it still is one. Throws StoreTrouble. */
export async function redriveEvent(
  context: WriteContext,
  wanted: RedriveWanted,
): Promise<ActionOutcome> {
  const { redriven } = await withWriter(context, ({ run }) =>
    run((database) => database.redrive(wanted)),
  )
  return redriven ? describeDone(wanted) : explainRefusal(context.reader, wanted)
}

/** Whether the event is no dead letter any more, by this or otherwise. */
export function redriveLookUp(reader: Reader, wanted: RedriveWanted): LookUp {
  return {
    isDone: async () => (await reader.eventRows([wanted], null))[0]?.state !== 'dead',
    done: `#${wanted.index} is no dead letter any more.`,
    notDone: `#${wanted.index} is still a dead letter.`,
  }
}

function describeDone({ index, action }: RedriveWanted): ActionOutcome {
  return {
    outcome: 'done',
    detail:
      action === 'retry'
        ? `#${index} is ready again: a worker can claim it.`
        : `#${index} is skipped.`,
  }
}

/** The event was no dead letter when the write looked: what it is now says why. */
async function explainRefusal(reader: Reader, wanted: RedriveWanted): Promise<ActionOutcome> {
  const { sessionId, index, action } = wanted
  const [row] = await reader.eventRows([wanted], null)
  const clearIndex = (await reader.clearIndexes([sessionId])).get(sessionId) ?? 0
  if (index <= clearIndex) {
    return refused(
      'cleared-meanwhile',
      `The session was cleared at #${clearIndex}: #${index} no longer counts. Nothing was changed.`,
    )
  }
  if (!row) return refused('gone', `#${index} is not stored any more. Nothing was changed.`)
  return row.processedAt === null ? explainUnfinished(row, action) : explainFinished(row, action)
}

function explainFinished({ index, state }: EventRow, action: RedriveAction): ActionOutcome {
  if (state !== 'skipped') {
    return refused(
      'finished-meanwhile',
      `A worker finished #${index} meanwhile. Nothing was changed.`,
    )
  }
  if (action === 'skip')
    return { outcome: 'already-done', detail: `#${index} was skipped already.` }
  return refused('finished-meanwhile', `#${index} was skipped meanwhile. Nothing was changed.`)
}

function explainUnfinished({ index, state }: EventRow, action: RedriveAction): ActionOutcome {
  if (state === 'dead') {
    return refused(
      'no-longer-dead',
      `#${index} was being worked on when this was asked for, and has died again since. Nothing was changed.`,
    )
  }
  if (action === 'retry') {
    return {
      outcome: 'already-done',
      detail: `#${index} is no dead letter any more: it is ${state}.`,
    }
  }
  return refused(
    'no-longer-dead',
    `#${index} is no dead letter any more, it is ${state}: only dead letters are skipped. Nothing was changed.`,
  )
}
