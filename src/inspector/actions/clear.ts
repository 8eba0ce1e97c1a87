import type { ActionOutcome } from '../../model/action.ts'
import { makeEventId } from '../../store/event-id.ts'
import type { ClearOutcome } from '../../store/foreign.ts'
import type { Reader } from '../reader.ts'
import { refused } from './audited.ts'
import type { LookUp } from './look-up.ts'
import { withWriter, type WriteContext } from './writing.ts'

export interface ClearWanted {
  readonly sessionId: string
  /** The head the person saw. */
  readonly ifLastIndex: number
  readonly createClearsTable: boolean
}

/** Appends a clear marker if the session still ends where the person saw it end. Throws StoreTrouble. */
export async function clearSession(
  context: WriteContext,
  wanted: ClearWanted,
): Promise<ActionOutcome> {
  // The answer looks the same whether the marker was made now or before; only a new one asks for an id.
  let isMarkerNew = false
  const generateId = (): string => {
    isMarkerNew = true
    return makeEventId()
  }
  const answer = await withWriter({ ...context, generateId }, ({ run }) =>
    run((database) => database.clear(wanted)),
  )
  return describeClear(answer, wanted, isMarkerNew)
}

/** Whether the marker of this clear is there. */
export function clearLookUp(reader: Reader, { sessionId, ifLastIndex }: ClearWanted): LookUp {
  const marker = ifLastIndex + 1
  return {
    isDone: async () => (await reader.clearIndexes([sessionId])).get(sessionId) === marker,
    done: `Cleared: the marker is #${marker}.`,
    notDone: 'The session was not cleared.',
  }
}

function describeClear(
  answer: ClearOutcome,
  { ifLastIndex }: ClearWanted,
  isMarkerNew: boolean,
): ActionOutcome {
  if (answer === 'needs-clears-table') {
    return refused(
      'needs-clears-table',
      'This database has no table a2_clears yet, and creating it was not allowed. Nothing was changed.',
    )
  }
  const { cleared, index, clearIndex } = answer
  if (!cleared) {
    return refused(
      'moved-on',
      `The session moved on: its last event is #${index}, not #${ifLastIndex} as you saw it. Nothing was changed.`,
    )
  }
  if (isMarkerNew) return { outcome: 'done', detail: `Cleared: the marker is #${clearIndex}.` }
  if (clearIndex > 0 && clearIndex === ifLastIndex + 1) {
    return {
      outcome: 'already-done',
      detail: `This clear was done already: its marker is #${clearIndex}.`,
    }
  }
  return {
    outcome: 'already-done',
    detail:
      clearIndex > 0
        ? `Nothing came after the marker #${clearIndex}: there was nothing to clear.`
        : 'The session has no events: there was nothing to clear.',
  }
}
