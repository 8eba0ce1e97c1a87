import type { ActionOutcome } from '../../model/action.ts'
import { makeEventId } from '../../store/event-id.ts'
import type { ForeignClearOutcome } from '../../store/foreign.ts'
import type { ClearAnswer } from '../../store/store.ts'
import type { Reader } from '../reader.ts'
import { type Intent, refused } from './audited.ts'
import type { LookUp } from './look-up.ts'
import { withWriter, type WriteContext } from './writing.ts'

interface AnyClear {
  readonly sessionId: string
  readonly createClearsTable: boolean
}

interface ClearOfSeen extends AnyClear {
  /** The head the person saw. */
  readonly ifLastIndex: number
}

/** For a session that writes faster than a person can confirm. */
interface ClearOfAll extends AnyClear {
  /** The clear index the person saw: what belongs to another lifetime is not cleared. */
  readonly ifClearIndex: number
  /** The head the person saw. */
  readonly lastSeen: number
}

export type ClearWanted = ClearOfSeen | ClearOfAll

/** Whether it also clears what nobody has seen. */
export function isClearOfAll(wanted: ClearWanted): wanted is ClearOfAll {
  return 'ifClearIndex' in wanted
}

/** What the person had seen, for the record. */
export function guardOfClear(wanted: ClearWanted): Intent['guard'] {
  const { createClearsTable } = wanted
  return isClearOfAll(wanted)
    ? { ifClearIndex: wanted.ifClearIndex, lastSeen: wanted.lastSeen, createClearsTable }
    : { ifLastIndex: wanted.ifLastIndex, createClearsTable }
}

/** Appends a clear marker if the session still is as it was wanted to be. Throws StoreTrouble. */
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
export function clearLookUp(reader: Reader, wanted: ClearWanted): LookUp {
  const { sessionId } = wanted
  const clearIndex = async (): Promise<number> =>
    (await reader.clearIndexes([sessionId])).get(sessionId) ?? 0
  const notDone = 'The session was not cleared.'
  if (isClearOfAll(wanted)) {
    const { lastSeen } = wanted
    return {
      isDone: async () => (await clearIndex()) > lastSeen,
      done: `Cleared: a marker stands after #${lastSeen}.`,
      notDone,
    }
  }
  const marker = wanted.ifLastIndex + 1
  return {
    isDone: async () => (await clearIndex()) === marker,
    done: `Cleared: the marker is #${marker}.`,
    notDone,
  }
}

function describeClear(
  answer: ForeignClearOutcome,
  wanted: ClearWanted,
  isMarkerNew: boolean,
): ActionOutcome {
  if (answer === 'needs-clears-table') {
    return refused(
      'needs-clears-table',
      'This database has no table a2_clears yet, and creating it was not allowed. Nothing was changed.',
    )
  }
  if (answer === 'cleared-again') {
    return refused(
      'cleared-meanwhile',
      'The session was cleared meanwhile: what came after that is another lifetime. Nothing was changed.',
    )
  }
  if (isMarkerNew) return describeNewMarker(answer.clearIndex, wanted)
  return isClearOfAll(wanted) ? nothingToClear(answer) : describeNoMarker(answer, wanted)
}

/** What came after the person looked is named: nobody has seen it. */
function describeNewMarker(marker: number, wanted: ClearWanted): ActionOutcome {
  const detail = `Cleared: the marker is #${marker}.`
  const unseen = isClearOfAll(wanted) ? marker - 1 - wanted.lastSeen : 0
  if (!isClearOfAll(wanted) || unseen <= 0) return { outcome: 'done', detail }
  const which = `#${wanted.lastSeen + 1}${unseen === 1 ? '' : `–#${marker - 1}`}`
  const events =
    unseen === 1 ? '1 event that came meanwhile is' : `${unseen} events that came meanwhile are`
  return { outcome: 'done', detail: `${detail} ${events} cleared too: ${which}.` }
}

function describeNoMarker(answer: ClearAnswer, { ifLastIndex }: ClearOfSeen): ActionOutcome {
  const { cleared, index, clearIndex } = answer
  if (!cleared) {
    return refused(
      'moved-on',
      `The session moved on: its last event is #${index}, not #${ifLastIndex} as you saw it. Nothing was changed.`,
    )
  }
  if (clearIndex > 0 && clearIndex === ifLastIndex + 1) {
    return {
      outcome: 'already-done',
      detail: `This clear was done already: its marker is #${clearIndex}.`,
    }
  }
  return nothingToClear(answer)
}

function nothingToClear({ clearIndex }: ClearAnswer): ActionOutcome {
  return {
    outcome: 'already-done',
    detail:
      clearIndex > 0
        ? `Nothing came after the marker #${clearIndex}: there was nothing to clear.`
        : 'The session has no events: there was nothing to clear.',
  }
}
