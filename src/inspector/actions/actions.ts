import type {
  ActionOutcome,
  ClearPreview,
  ReclaimPreview,
  ReclaimProgress,
  RedrivePreview,
} from '../../model/action.ts'
import type { AuditPage } from '../../model/audit.ts'
import { NO_WORK } from '../../model/session.ts'
import type { AuditLog } from '../audit-log.ts'
import type { Background } from '../background.ts'
import { found } from '../not-found.ts'
import type { Reader } from '../reader.ts'
import { countSessionWork } from '../session-work.ts'
import type { WriteLock } from '../write-lock.ts'
import { type AuditContext, audited, type Intent } from './audited.ts'
import { clearSession, type ClearWanted } from './clear.ts'
import { reclaimSession, type ReclaimWanted } from './reclaim.ts'
import { redriveEvent, type RedriveWanted } from './redrive.ts'
import type { ForeignAccess } from './writing.ts'

export interface ActionsOptions {
  readonly reader: Reader
  readonly background: Background
  readonly lock: WriteLock
  readonly log: AuditLog
  readonly foreign: ForeignAccess
  /** The machine's, for the record. */
  readonly clock: { now(): Date }
  /** Called after each write. */
  readonly onWrite: () => void
}

/** What a person can do to a session, each previewed, guarded and on record. Writes throw WritingLocked while the switch is off. */
export class Actions {
  readonly #options: ActionsOptions
  readonly #audit: AuditContext

  constructor(options: ActionsOptions) {
    this.#options = options
    this.#audit = { log: options.log, clock: options.clock, database: options.reader.path }
  }

  async previewClear({ sessionId }: { sessionId: string }): Promise<ClearPreview> {
    const { reader, background } = this.#options
    const preview = found(await reader.previewClear(sessionId), 'session')
    const session = { id: sessionId, clearIndex: preview.clearIndex }
    // What is about to be dropped is counted to the end, however long it takes.
    const forever = Number.POSITIVE_INFINITY
    const work = await countSessionWork(reader, background.work, session, forever)
    return { ...preview, work: work ?? NO_WORK }
  }

  clear(wanted: ClearWanted): Promise<ActionOutcome> {
    const { ifLastIndex, createClearsTable, sessionId } = wanted
    const guard = { ifLastIndex, createClearsTable }
    return this.#act({ action: 'clear', sessionId, index: null, guard }, () =>
      clearSession(this.#options, wanted),
    )
  }

  async previewReclaim({ sessionId }: { sessionId: string }): Promise<ReclaimPreview> {
    return found(await this.#options.reader.previewReclaim(sessionId), 'session')
  }

  /** Throws before the first message while writing is locked. */
  reclaim(wanted: ReclaimWanted): AsyncGenerator<ReclaimProgress, undefined> {
    this.#options.lock.assertUnlocked()
    return this.#reclaim(wanted)
  }

  async previewRedrive(wanted: RedriveWanted): Promise<RedrivePreview> {
    const { reader, background } = this.#options
    return found(await reader.previewRedrive(wanted, background.work), 'event')
  }

  redrive(wanted: RedriveWanted): Promise<ActionOutcome> {
    const { action, sessionId, index } = wanted
    return this.#act({ action, sessionId, index, guard: { isDead: true } }, () =>
      redriveEvent(this.#options, wanted),
    )
  }

  audit({
    scope,
    ...page
  }: {
    scope: 'database' | 'all'
    beforeOffset: number | null
    limit: number
  }): Promise<AuditPage> {
    const { log, reader } = this.#options
    return log.read({ ...page, database: scope === 'all' ? null : reader.path })
  }

  async *#reclaim(wanted: ReclaimWanted): AsyncGenerator<ReclaimProgress, undefined> {
    const { background, onWrite } = this.#options
    const context = { ...this.#options, audit: this.#audit, onBatch: onWrite }
    try {
      yield* reclaimSession(context, wanted)
    } finally {
      await background.updateSession(wanted.sessionId)
      onWrite()
    }
    return undefined
  }

  async #act(intent: Intent, act: () => Promise<ActionOutcome>): Promise<ActionOutcome> {
    const { lock, background, onWrite } = this.#options
    lock.assertUnlocked()
    const outcome = await audited(this.#audit, intent, act)
    // The numbers follow at once; a refusal often means that they were out of date.
    await background.updateSession(intent.sessionId)
    onWrite()
    return outcome
  }
}
