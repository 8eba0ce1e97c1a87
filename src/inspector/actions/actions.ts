import type {
  ActionOutcome,
  ClearPreview,
  ReclaimPreview,
  ReclaimProgress,
  RedriveAction,
  RedrivePreview,
} from '../../model/action.ts'
import { NO_WORK } from '../../model/session.ts'
import type { AuditPage } from '../../model/audit.ts'
import type { Background } from '../background.ts'
import { found } from '../not-found.ts'
import type { Reader } from '../reader.ts'
import { countSessionWork } from '../session-work.ts'
import type { WriteLock } from '../write-lock.ts'

/** What a person can do to a session, and what they did. */
export class Actions {
  readonly #reader: Reader
  readonly #background: Background
  readonly #lock: WriteLock

  constructor(reader: Reader, background: Background, lock: WriteLock) {
    this.#reader = reader
    this.#background = background
    this.#lock = lock
  }

  async previewClear({ sessionId }: { sessionId: string }): Promise<ClearPreview> {
    const preview = found(await this.#reader.previewClear(sessionId), 'session')
    const session = { id: sessionId, clearIndex: preview.clearIndex }
    const work = await countSessionWork(this.#reader, this.#background.work, session)
    return {
      ...preview,
      work: work ?? NO_WORK,
    }
  }

  async previewReclaim({ sessionId }: { sessionId: string }): Promise<ReclaimPreview> {
    return found(await this.#reader.previewReclaim(sessionId), 'session')
  }

  async previewRedrive(wanted: {
    sessionId: string
    index: number
    action: RedriveAction
  }): Promise<RedrivePreview> {
    const preview = await this.#reader.previewRedrive(wanted, this.#background.work)
    return found(preview, 'event')
  }

  async clear(wanted: { sessionId: string; ifLastIndex: number }): Promise<ActionOutcome> {
    this.#lock.assertUnlocked()
    return { outcome: 'refused', reason: 'incompatible', detail: notBuilt(wanted.sessionId) }
  }

  async *reclaim(wanted: {
    sessionId: string
    clearIndex: number
  }): AsyncGenerator<ReclaimProgress> {
    this.#lock.assertUnlocked()
    yield { deleted: 0, total: 0, status: 'failed', detail: notBuilt(wanted.sessionId) }
  }

  async redrive(wanted: { sessionId: string; index: number }): Promise<ActionOutcome> {
    this.#lock.assertUnlocked()
    return { outcome: 'refused', reason: 'incompatible', detail: notBuilt(wanted.sessionId) }
  }

  async audit(): Promise<AuditPage> {
    return { entries: [], path: '', nextBeforeOffset: null, unreadableLines: 0 }
  }
}

function notBuilt(sessionId: string): string {
  return `Nothing was done to ${JSON.stringify(sessionId)}: this action is not built yet.`
}
