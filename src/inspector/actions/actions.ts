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
import { type AuditContext, audited, type Intent, refused } from './audited.ts'
import { clearLookUp, clearSession, type ClearWanted, guardOfClear, isClearOfAll } from './clear.ts'
import { lookUp, type LookUp } from './look-up.ts'
import { reclaimSession, type ReclaimWanted } from './reclaim.ts'
import { redriveEvent, redriveLookUp, type RedriveWanted } from './redrive.ts'
import type { ForeignAccess } from './writing.ts'

export interface ActionsOptions {
  readonly reader: Reader
  readonly background: Background
  readonly lock: WriteLock
  readonly log: AuditLog
  readonly foreign: ForeignAccess
  /** Whether the person has to type what they are about to clear or reclaim. */
  readonly isProduction: () => boolean
  /** The machine's, for the record. */
  readonly clock: { now(): Date }
  /** Called after each write. */
  readonly onWrite: () => void
}

interface Confirmation {
  /** The session's id as the person typed it. */
  readonly confirmation?: string | undefined
}

const NEEDS_CONFIRMATION = 'This is a production database: the id of the session has to be typed.'

const NOT_UNSEEN =
  'This is a production database: only what was seen is cleared there. Nothing was changed.'

async function* refusedReclaim(): AsyncGenerator<ReclaimProgress, undefined> {
  const detail = `${NEEDS_CONFIRMATION} Nothing was deleted.`
  yield { deleted: 0, total: null, status: 'failed', detail, reason: 'needs-confirmation' }
  return undefined
}

/** What a person can do to a session, each previewed, guarded and on record. Writes throw WritingLocked while the switch is off. */
export class Actions {
  readonly #options: ActionsOptions
  readonly #audit: AuditContext
  readonly #reclaims = new Set<{ readonly sessionId: string; isStopped: boolean }>()

  constructor(options: ActionsOptions) {
    this.#options = options
    this.#audit = { log: options.log, clock: options.clock, database: options.reader.path }
  }

  async previewClear({ sessionId }: { sessionId: string }): Promise<ClearPreview> {
    const { reader, background } = this.#options
    const preview = found(await reader.previewClear(sessionId), 'session')
    const session = { ...preview, id: sessionId }
    // What is about to be dropped is counted to the end, however long it takes.
    const forever = Number.POSITIVE_INFINITY
    const sources = { reader, scans: background.scans, work: background.work }
    const work = await countSessionWork(sources, session, forever)
    return { ...preview, work: work ?? NO_WORK }
  }

  async clear({ confirmation, ...wanted }: ClearWanted & Confirmation): Promise<ActionOutcome> {
    if (this.#needsConfirmation(wanted.sessionId, confirmation)) {
      this.#options.lock.assertUnlocked()
      return refused('needs-confirmation', `${NEEDS_CONFIRMATION} Nothing was changed.`)
    }
    const { sessionId } = wanted
    if (isClearOfAll(wanted) && this.#options.isProduction()) {
      this.#options.lock.assertUnlocked()
      return refused('not-on-production', NOT_UNSEEN)
    }
    return this.#act(
      { action: 'clear', sessionId, index: null, guard: guardOfClear(wanted) },
      () => clearSession(this.#options, wanted),
      clearLookUp(this.#options.reader, wanted),
    )
  }

  async previewReclaim({ sessionId }: { sessionId: string }): Promise<ReclaimPreview> {
    return found(await this.#options.reader.previewReclaim(sessionId), 'session')
  }

  /** Throws before the first message while writing is locked. */
  reclaim({
    confirmation,
    ...wanted
  }: ReclaimWanted & Confirmation): AsyncGenerator<ReclaimProgress, undefined> {
    this.#options.lock.assertUnlocked()
    if (this.#needsConfirmation(wanted.sessionId, confirmation)) return refusedReclaim()
    return this.#reclaim(wanted)
  }

  /** They end after the batch in hand, and say what they deleted in all. */
  async stopReclaim({ sessionId }: { sessionId: string }): Promise<null> {
    for (const one of this.#reclaims) if (one.sessionId === sessionId) one.isStopped = true
    return null
  }

  async previewRedrive(wanted: RedriveWanted): Promise<RedrivePreview> {
    const { reader, background } = this.#options
    return found(await reader.previewRedrive(wanted, background.work), 'event')
  }

  redrive(wanted: RedriveWanted): Promise<ActionOutcome> {
    const { action, sessionId, index } = wanted
    return this.#act(
      { action, sessionId, index, guard: { isDead: true } },
      () => redriveEvent(this.#options, wanted),
      redriveLookUp(this.#options.reader, wanted),
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

  #needsConfirmation(sessionId: string, confirmation: string | undefined): boolean {
    return this.#options.isProduction() && confirmation !== sessionId
  }

  async *#reclaim(wanted: ReclaimWanted): AsyncGenerator<ReclaimProgress, undefined> {
    const { background, lock, onWrite } = this.#options
    const running = { sessionId: wanted.sessionId, isStopped: false }
    const isWanted = (): boolean => lock.isUnlocked && !running.isStopped
    const context = { ...this.#options, audit: this.#audit, onBatch: onWrite, isWanted }
    this.#reclaims.add(running)
    try {
      yield* reclaimSession(context, wanted)
    } finally {
      this.#reclaims.delete(running)
      await background.updateSession(wanted.sessionId)
      onWrite()
    }
    return undefined
  }

  async #act(
    intent: Intent,
    act: () => Promise<ActionOutcome>,
    wanted: LookUp,
  ): Promise<ActionOutcome> {
    const { lock, background, onWrite, reader } = this.#options
    lock.assertUnlocked()
    const outcome = await audited(this.#audit, intent, {
      act,
      lookUp: () => lookUp(reader, wanted),
    })
    // The numbers follow at once; a refusal often means that they were out of date.
    await background.updateSession(intent.sessionId)
    onWrite()
    return outcome
  }
}
