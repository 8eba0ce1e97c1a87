import { setImmediate as yieldNow, setTimeout as sleep } from 'node:timers/promises'

import type { ReclaimPreview, ReclaimProgress } from '../../model/action.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import { AuditUnavailable } from '../audit-log.ts'
import { WritingLocked } from '../write-lock.ts'
import {
  type AuditContext,
  type Intent,
  noteIntent,
  type NoteOutcome,
  OUTCOME_NOT_NOTED,
  toRefusal,
} from './audited.ts'
import { openWriter, type Writer, type WriteContext } from './writing.ts'

/** Rows that others hold are left for later; how long later may come. */
const HELD_RETRY_MS = 100
const HELD_PATIENCE_MS = 5000

export interface ReclaimWanted {
  readonly sessionId: string
  /** The clear index the person saw: what is above it stays, whatever was cleared since. */
  readonly clearIndex: number
}

export interface ReclaimContext extends WriteContext {
  readonly audit: AuditContext
  /** Asked before each batch; false stops it. */
  readonly isWanted: () => boolean
  /** Called after each batch. */
  readonly onBatch: () => void
}

/**
 * Deletes cleared events for good, a batch of 256 a transaction, others getting their turn in between.
 * Ending the iteration ends it after the current batch. The last message is not `running`.
 */
export async function* reclaimSession(
  context: ReclaimContext,
  wanted: ReclaimWanted,
): AsyncGenerator<ReclaimProgress, undefined> {
  const preview = await context.reader.previewReclaim(wanted.sessionId)
  const total = preview === undefined || preview.events.isLowerBound ? null : preview.events.count
  let note: NoteOutcome
  try {
    const { sessionId, clearIndex } = wanted
    const intent: Intent = { action: 'reclaim', sessionId, index: null, guard: { clearIndex } }
    note = await noteIntent(context.audit, intent)
  } catch (error) {
    if (!(error instanceof AuditUnavailable)) throw error
    const detail = `The audit log ${context.audit.log.path} cannot be written, so nothing was deleted.`
    yield { deleted: 0, total, status: 'failed', detail }
    return
  }
  let deleted = 0
  let end: End | null = null
  try {
    for await (const step of deleteBatches(context, wanted)) {
      if (typeof step === 'number') {
        deleted += step
        context.onBatch()
        yield { deleted, total, status: 'running', detail: null }
      } else {
        end = step
      }
    }
  } catch (error) {
    const detail = `${describeTrouble(error)} ${describeDeleted(deleted)}`
    end = { status: 'failed', detail }
    if (!(error instanceof StoreTrouble)) throw error
  } finally {
    // Also reached when the person stops listening: the batch in hand is finished, the rest stays.
    end ??= { status: 'stopped', detail: null }
    const swept = end.status === 'done' && preview !== undefined ? preview : NOTHING_ELSE
    const detail = end.detail ?? describeEnd(end.status, deleted, swept)
    const isNoted = await note(end.status, detail)
    end = { ...end, detail: isNoted ? detail : `${detail} ${OUTCOME_NOT_NOTED}` }
  }
  yield { deleted, total, ...end }
}

interface End {
  readonly status: 'done' | 'stopped' | 'failed'
  /** null: the number of deleted events says it all. */
  readonly detail: string | null
}

/** Numbers of deleted events, then how it ended. */
async function* deleteBatches(
  context: ReclaimContext,
  wanted: ReclaimWanted,
): AsyncGenerator<number | End> {
  const writer = await openWriter(context)
  let heldSince: number | null = null
  try {
    for (;;) {
      if (!context.isWanted()) return yield { status: 'stopped', detail: null }
      const answer = await deleteBatch(writer, wanted)
      if (answer === 'locked') return yield { status: 'stopped', detail: null }
      if (answer === 'cleared-again') {
        const detail =
          'The session was cleared again meanwhile: more would be deleted than was shown.'
        return yield { status: 'failed', detail }
      }
      yield answer.deleted
      if (answer.done) return yield { status: 'done', detail: null }
      if (answer.deleted > 0) {
        heldSince = null
        await yieldNow()
        continue
      }
      heldSince ??= performance.now()
      if (performance.now() - heldSince > HELD_PATIENCE_MS) {
        const detail = 'Another transaction holds the rest for too long.'
        return yield { status: 'failed', detail }
      }
      await sleep(HELD_RETRY_MS)
    }
  } finally {
    writer.close()
  }
}

/** `locked`: writing was switched off while the batch waited for its turn. */
async function deleteBatch(writer: Writer, { sessionId, clearIndex }: ReclaimWanted) {
  try {
    return await writer.run((database) => database.reclaim(sessionId, clearIndex))
  } catch (error) {
    if (error instanceof WritingLocked) return 'locked'
    throw error
  }
}

/** What goes with the last batch: nothing is added before a marker, so it is what was there at the start. */
type Swept = Pick<ReclaimPreview, 'snapshots' | 'pins'>

const NOTHING_ELSE: Swept = { snapshots: 0, pins: 0 }

function describeEnd(status: End['status'], deleted: number, swept: Swept): string {
  return `${status === 'stopped' ? 'Stopped. ' : ''}${describeDeleted(deleted, swept)}`
}

function describeDeleted(deleted: number, { snapshots, pins }: Swept = NOTHING_ELSE): string {
  const all = [
    { count: deleted, name: 'cleared event' },
    { count: snapshots, name: 'snapshot' },
    { count: pins, name: 'pin' },
  ].filter(({ count }) => count > 0)
  if (all.length === 0) return 'Nothing was deleted.'
  const names = all.map(({ count, name }) => `${count} ${name}${count === 1 ? '' : 's'}`)
  const last = names.pop() ?? ''
  const list = names.length === 0 ? last : `${names.join(', ')} and ${last}`
  const isOne = all.length === 1 && all[0]?.count === 1
  return `${list} ${isOne ? 'is' : 'are'} gone for good.`
}

function describeTrouble(error: unknown): string {
  if (error instanceof StoreTrouble && error.isOutcomeUnknown) {
    return 'The connection was lost in the middle of a batch, which may be gone as well.'
  }
  const refusal = toRefusal(error)
  if (refusal?.outcome === 'refused' && refusal.reason === 'busy') {
    return 'Another program held the write lock for too long.'
  }
  return 'The database could not be written.'
}
