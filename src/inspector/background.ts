import { setTimeout as sleep } from 'node:timers/promises'

import type { DatabaseTrouble } from '../model/database.ts'
import type { LiveMessage } from '../model/live.ts'
import { StoreTrouble } from '../store/trouble.ts'
import { EarlyCounts } from './early-counts.ts'
import { Pace } from './pace.ts'
import type { RowPosition } from './queries/position.ts'
import type { Reader } from './reader.ts'
import { makeEarlyScans } from './scans/early-scans.ts'
import type { RemoteScans } from './scans/remote-scans.ts'
import { openLocalScans } from './scans/scan-reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'
import { SessionIndex } from './session-index.ts'
import { WorkIndex } from './work-index.ts'

/** The shortest time from the end of one refresh to the beginning of the next. */
const REST_MS = 1000
/** On a large file the first screen comes first: so long after it was first asked for, the first run begins. */
const FIRST_REST_MS = 300

export interface BackgroundOptions {
  readonly reader: Reader
  /** Another process that does the scanning; without one it is done here. */
  readonly remote?: RemoteScans
  readonly walBytes: () => number
  /** Whether a run takes longer than somebody would wait for with a screen before them. */
  readonly isLarge: () => boolean
  /** A defect of ours; troubles of the database are kept instead. */
  readonly onDefect: (error: unknown) => void
}

/**
 * Lists all sessions and finds all unfinished work, beside everything else, and keeps both up to date. What is
 * known is kept here; the scanning may be done by another process.
 */
export class Background {
  readonly sessions: SessionIndex
  readonly work: WorkIndex
  /** What is known of the work until it is complete. */
  readonly early: EarlyCounts
  readonly pace: Pace
  /** For whoever else has much to look through. */
  readonly scans: ScanReader
  readonly #remote: RemoteScans | undefined
  readonly #reader: Reader
  readonly #isLarge: () => boolean
  readonly #onDefect: (error: unknown) => void
  readonly #listeners = new Set<() => void>()
  #running: Promise<void> | null = null
  #isWanted = false
  #hasBegun = false
  #restUntil = 0
  /** When the first run may begin, by `performance.now()`; null: nobody asked for one yet. */
  #firstAt: number | null = null
  #timer: NodeJS.Timeout | null = null
  /** What the file looked like before the last successful run. */
  #doneStamp: string | null = null
  #epoch: string | null = null
  #fileEpoch = 0
  #isMixed = false
  /** The last run could not read the file at all. */
  #isShutOut = false
  #position: RowPosition | null = null
  #listTrouble: DatabaseTrouble | null = null
  #workTrouble: DatabaseTrouble | null = null

  constructor({ reader, remote, walBytes, isLarge, onDefect }: BackgroundOptions) {
    this.pace = new Pace(walBytes, () => reader.effort.sliceMs())
    const openScans =
      remote === undefined
        ? () => openLocalScans(reader, this.pace)
        : makeEarlyScans({ reader, remote, pace: this.pace })
    this.scans = openScans()
    this.sessions = new SessionIndex(reader, this.pace, openScans())
    const sameId = (id: string): string => this.sessions.sameId(id)
    this.work = new WorkIndex(reader, this.pace, openScans(), sameId)
    this.early = new EarlyCounts(reader, this.pace)
    this.#remote = remote
    this.#reader = reader
    this.#isLarge = isLarge
    this.#onDefect = onDefect
  }

  /** Nothing was written since the last run began. */
  get isFresh(): boolean {
    return this.#epoch === this.#epochNow && this.#doneStamp === this.#reader.stamp()
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Why the last listing ended early. */
  get listTrouble(): DatabaseTrouble | null {
    return ofDatabase(this.#listTrouble)
  }

  /** Why the last search for unfinished work ended early. */
  get workTrouble(): DatabaseTrouble | null {
    return ofDatabase(this.#workTrouble)
  }

  /** What is known at this moment. */
  counts(): Omit<Extract<LiveMessage, { kind: 'counts' }>, 'kind'> {
    return {
      deadLetters: this.work.countDead(),
      sessions: this.sessions.size,
      isListComplete: this.sessions.isComplete,
      isWorkComplete: this.work.isComplete,
      countedAt: this.work.countedAt,
      progress: this.work.progress,
    }
  }

  /** Calls `listener` whenever a number may have changed. */
  onProgress(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Something changed: bring everything up to date, now or after a rest. */
  request(): void {
    if (this.pace.isClosed) return
    if (this.#running !== null) {
      this.#isWanted = true
      return
    }
    // A run that could not begin cost nothing, and what it found wrong may be over.
    const isDue = this.#isShutOut || this.#epoch !== this.#epochNow
    this.#firstAt ??= performance.now() + (this.#isLarge() ? FIRST_REST_MS : 0)
    const rest = (isDue ? this.#firstAt : this.#restUntil) - performance.now()
    if (rest <= 0) {
      this.#start()
    } else if (this.#timer === null) {
      this.#timer = setTimeout(() => this.#start(), rest)
      this.#timer.unref()
    }
  }

  /** For a screen that does without: waits for a run where one is quick, else has one begin when the screen is there. */
  async freshenIfQuick(patienceMs: number): Promise<void> {
    if (this.#hasBegun || !this.#isLarge()) return await this.freshen(patienceMs)
    this.request()
  }

  /** Starts a run when something changed since the last one, and waits for it, but not for long. */
  async freshen(patienceMs: number): Promise<void> {
    this.#firstAt = 0
    await this.#reader.refresh()
    if (this.#running === null) this.#forgetOther()
    if (!this.isFresh) this.request()
    if (this.#running === null) return
    await Promise.race([this.#running, sleep(patienceMs, undefined, { ref: false })])
  }

  async close(): Promise<void> {
    this.pace.close()
    this.#remote?.close()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  /** Brings one session up to date after something was done to it. */
  async updateSession(sessionId: string): Promise<void> {
    try {
      await this.sessions.update([sessionId])
      await this.work.updateSession(sessionId)
    } catch (error) {
      // It is only sooner than the next run, which will tell what is wrong.
      this.#toTrouble(error)
    }
    this.request()
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#isWanted = false
    this.#hasBegun = true
    const startedAt = performance.now()
    this.#running = this.#run().finally(() => {
      this.#running = null
      const tookMs = performance.now() - startedAt
      const rest = Math.max(REST_MS, this.#reader.effort.restFactor * tookMs)
      this.#restUntil = performance.now() + rest
      if (this.#isWanted) this.request()
    })
  }

  async #run(): Promise<void> {
    const stamp = this.#reader.stamp()
    const onProgress = (): void => {
      for (const listener of this.#listeners) listener()
    }
    try {
      await this.#checkPosition()
      this.#isShutOut = false
    } catch (error) {
      const trouble = this.#toTrouble(error)
      this.#isShutOut = !this.#wasInterrupted(trouble)
      this.#listTrouble = trouble
      this.#workTrouble = trouble
      onProgress()
      return
    }
    const epoch = this.#epochNow
    const attempt = (run: Promise<void>): Promise<DatabaseTrouble | null> =>
      run.then(
        () => null,
        (error: unknown) => this.#toTrouble(error),
      )
    const [listTrouble, workTrouble] = await Promise.all([
      attempt(this.sessions.bringUpToDate(onProgress)),
      attempt(this.#findWork(onProgress)),
    ])
    this.#listTrouble = listTrouble
    this.#workTrouble = workTrouble
    this.#wasInterrupted(listTrouble, workTrouble)
    if ((await this.#lookAgain()) !== epoch) {
      // What was gathered mixes two files or two numberings.
      this.#isMixed = true
      this.#isWanted = true
    } else if (listTrouble === null && workTrouble === null) {
      this.#doneStamp = stamp
    }
    onProgress()
  }

  async #findWork(onProgress: () => void): Promise<void> {
    if (!this.work.isComplete) {
      await this.early.count().catch((error: unknown) => {
        // It is only sooner: the pass will tell what is wrong.
        if (!(error instanceof StoreTrouble)) throw error
      })
      onProgress()
    }
    await this.work.bringUpToDate(onProgress)
    this.early.forget()
  }

  /** The process that scans ended, again and again: that is no trouble of the database, and there will be another. */
  #wasInterrupted(...troubles: readonly (DatabaseTrouble | null)[]): boolean {
    const isInterrupted = troubles.some((trouble) => trouble?.kind === 'process-ended')
    if (isInterrupted) this.#isWanted = true
    return isInterrupted
  }

  /** Notices that the same file went back in time, then forgets what is of another. */
  async #checkPosition(): Promise<void> {
    const { hasRowids } = await this.#reader.capabilities()
    this.#forgetOther()
    // Whoever scans notices now too, and not only when something was scanned.
    await this.scans.capabilities()
    this.#forgetOther()
    if (!hasRowids) return
    const known = this.#position
    if (known !== null && (await this.#reader.findPosition(known)) === 'lost') {
      this.#reader.noteRestored()
    }
    this.#forgetOther()
    this.#position = await this.#reader.tip()
  }

  /** Two processes may look at the same path, and each notices for itself. */
  get #epochNow(): string {
    return `${this.#reader.epoch.schema} ${this.scans.epoch}`
  }

  /** The epoch after a run: the scans alone do not tell this process. */
  async #lookAgain(): Promise<string> {
    await this.#reader.capabilities().catch(() => undefined)
    return this.#epochNow
  }

  /** Another file stands there, rowids changed, or the file went back in time: nothing known holds. */
  #forgetOther(): void {
    const epoch = this.#epochNow
    if (this.#epoch === epoch && !this.#isMixed) return
    this.sessions.reset()
    this.work.reset()
    this.early.forget()
    if (this.#fileEpoch !== this.#reader.epoch.file) this.#position = null
    this.#fileEpoch = this.#reader.epoch.file
    this.#doneStamp = null
    this.#isMixed = false
    this.#epoch = epoch
  }

  #toTrouble(error: unknown): DatabaseTrouble {
    if (error instanceof StoreTrouble) return error.trouble
    this.#onDefect(error)
    return { kind: 'unexpected', path: this.#reader.path, code: null }
  }
}

/** What is known is shown, and what is not known yet will be. */
function ofDatabase(trouble: DatabaseTrouble | null): DatabaseTrouble | null {
  return trouble?.kind === 'process-ended' ? null : trouble
}
