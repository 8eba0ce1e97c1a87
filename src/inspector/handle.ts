import { setTimeout as sleep } from 'node:timers/promises'

import { openReadOnly, openUnasked, type ReadHandle } from '../store/sqlite/open.ts'
import { StoreTrouble } from '../store/trouble.ts'
import type { Epoch } from './epoch.ts'
import { explainUnreadable } from './file-kind.ts'
import { type FileState, readFileState, readIdentity } from './file-watch.ts'
import { withLowerCaseNames } from './lower-case-names.ts'
import { type Meter, metered } from './meter.ts'
import { detectSchema, readSchemaVersion, type SqliteSchema } from './sqlite-schema.ts'
import { hasCountableRows } from './table-shape.ts'

/** How long a handle may stay open without being used, and in all: an open one keeps the app from its closing checkpoint. */
const LINGER_MS = 50
const MAX_OPEN_MS = 800
const SMALLEST_PAGE_BYTES = 512
const BUSY_TIMEOUT_MS = 20
const BUSY_RETRY_MS = 25
const BUSY_PATIENCE_MS = 700

/** What one question is asked with: an open handle, what the tables look like, and the time. */
export interface Scope {
  readonly handle: ReadHandle
  readonly schema: SqliteSchema
  /** The database's clock, epoch ms. */
  readonly now: number
}

interface Opened {
  readonly handle: ReadHandle
  /** What the file looked like before it was opened; null where it could not be looked at. */
  readonly stamp: FileState | null
  /** null until the first query. */
  identity: string | null
  /** That of `stamp`; null where a write right then would not show. */
  fileState: string | null
  readonly at: number
}

/** One read-only handle, opened when it is needed and closed soon after. */
export class LazyHandle {
  readonly path: string
  readonly #clock: { now(): Date }
  readonly #meter: Meter
  readonly #onAnswer: (() => void) | undefined
  #opened: Opened | null = null
  #timer: NodeJS.Timeout | null = null
  #identity: string | null = null
  #schema: SqliteSchema | null = null
  #isSchemaDoubtful = false
  #rowsLookedAt: ReadHandle | null = null
  #epoch: Epoch = { file: 0, schema: 0, reason: 'replaced' }
  #isClosed = false

  /** `onAnswer`: called once an answer is out of the house, for what nobody shall wait for; not after each. */
  constructor(options: {
    path: string
    clock: { now(): Date }
    meter: Meter
    onAnswer?: () => void
  }) {
    this.path = options.path
    this.#clock = options.clock
    this.#meter = options.meter
    this.#onAnswer = options.onAnswer
  }

  get epoch(): Epoch {
    return this.#epoch
  }

  /**
   * Runs `ask` in one read transaction. A locked database is tried again for a moment, without blocking
   * anyone else. `isBrief`: closes the file at once unless it was open already. `isAside`: no screen waits for
   * it. Throws StoreTrouble.
   */
  async read<T>(
    ask: (scope: Scope) => T,
    { isBrief = false, isAside = isBrief }: { isBrief?: boolean; isAside?: boolean } = {},
  ): Promise<T> {
    const giveUpAt = performance.now() + BUSY_PATIENCE_MS
    for (;;) {
      try {
        const startedAt = performance.now()
        const answer = this.#readNow(ask, isBrief)
        if (!isAside) this.#meter.noteAnswer(performance.now() - startedAt)
        return answer
      } catch (error) {
        if (!isLocked(error) || performance.now() > giveUpAt || this.#isClosed) throw error
      }
      await sleep(BUSY_RETRY_MS)
    }
  }

  /** The same file went back in time: nothing known of it holds. */
  noteRestored(): void {
    this.#startEpoch('restored')
  }

  /** Lets go of the file now. */
  release(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#opened?.handle.close()
    this.#opened = null
  }

  close(): void {
    this.#isClosed = true
    this.release()
  }

  #readNow<T>(ask: (scope: Scope) => T, isBrief: boolean): T {
    if (this.#isClosed) {
      throw new StoreTrouble({ kind: 'cannot-open', path: this.path, code: null })
    }
    const wasOpen = this.#opened !== null
    try {
      const handle = this.#open()
      const answer = handle.snapshot(() => {
        this.#recognise(handle)
        const schema = this.#currentSchema(handle)
        const asked = schema.hasOddNames ? withLowerCaseNames(handle) : handle
        return ask({ handle: asked, schema, now: this.#clock.now().getTime() })
      })
      if (isBrief && !wasOpen) this.release()
      else this.#closeSoon()
      return answer
    } catch (error) {
      this.release()
      // A file overwritten in place may have other tables under the same schema version.
      this.#isSchemaDoubtful = true
      // An open handle judges by what it remembers: a fresh one knows what is really wrong, if anything.
      if (wasOpen && error instanceof StoreTrouble && !isLocked(error)) {
        return this.#readNow(ask, isBrief)
      }
      throw explainUnreadable(this.path, error)
    }
  }

  #open(): ReadHandle {
    const stamp = readFileState(this.path)
    if (this.#opened !== null && !isStill(this.#opened, stamp)) this.release()
    if (this.#opened !== null) return this.#opened.handle
    const handle = metered(openLookedAt(this.path, stamp), this.#meter)
    this.#opened = { handle, stamp, identity: null, fileState: null, at: performance.now() }
    return handle
  }

  /** Both the file and its -wal are open after the first query: only then can it be told whose they are. */
  #recognise(handle: ReadHandle): void {
    const opened = this.#opened
    if (opened === null || opened.identity !== null) return
    readSchemaVersion(handle)
    const { stamp } = opened
    const identity = readIdentity(this.path) ?? ''
    if (stamp !== null && stamp.identity !== identity) {
      throw new StoreTrouble({ kind: 'locked', path: this.path, code: null })
    }
    if (this.#identity !== identity) this.#changeFile(identity)
    opened.identity = identity
    if (stamp !== null && isWrittenLongAgo(stamp)) opened.fileState = stamp.fileState
  }

  #changeFile(identity: string): void {
    if (this.#identity !== null) {
      this.#startEpoch('replaced')
    }
    this.#identity = identity
    this.#schema = null
  }

  #startEpoch(reason: Epoch['reason']): void {
    this.#epoch = { file: this.#epoch.file + 1, schema: this.#epoch.schema + 1, reason }
  }

  #currentSchema(handle: ReadHandle): SqliteSchema {
    const known = this.#schema
    if (known !== null && this.#isStillSo(handle, known)) return known
    this.#schema = detectSchema(handle, this.path, () => this.#opened?.handle ?? handle)
    this.#isSchemaDoubtful = false
    const { schemaVersion, events } = this.#schema
    if (
      known !== null &&
      (known.schemaVersion !== schemaVersion ||
        (known.events.isRowidKnown && known.events.rowid !== events.rowid))
    )
      this.#epoch = { ...this.#epoch, schema: this.#epoch.schema + 1 }
    return this.#schema
  }

  #isStillSo(handle: ReadHandle, known: SqliteSchema): boolean {
    if (this.#isSchemaDoubtful || known.schemaVersion !== readSchemaVersion(handle)) return false
    // What nobody has asked for yet was relied upon by nobody.
    if (this.#rowsLookedAt === handle || !known.events.isRowidKnown) return true
    if (known.events.rowid === null) return true
    this.#rowsLookedAt = handle
    return hasCountableRows(handle, known.events)
  }

  #closeSoon(): void {
    if (this.#opened === null) return
    if (performance.now() - this.#opened.at > MAX_OPEN_MS) return this.release()
    if (this.#timer !== null) this.#timer.refresh()
    // The answer goes out first.
    else process.nextTick(() => this.#startTimer())
  }

  #startTimer(): void {
    this.#onAnswer?.()
    if (this.#opened === null || this.#timer !== null) return
    this.#timer = setTimeout(() => this.release(), LINGER_MS)
    this.#timer.unref()
  }
}

/**
 * In WAL mode a handle keeps the pages it has read until the -wal says otherwise. A backup that is copied over
 * the file says nothing there, so any write to the file itself makes what the handle knows doubtful.
 */
function isStill(opened: Opened, stamp: FileState | null): boolean {
  return opened.identity === stamp?.identity && opened.fileState === stamp.fileState
}

/** Whether a write after this look could not hide behind the last one. */
function isWrittenLongAgo({ writtenAt, blindMs }: FileState): boolean {
  return Math.abs(Date.now() - writtenAt) > blindMs
}

function openLookedAt(path: string, stamp: FileState | null): ReadHandle {
  if (stamp !== null) assertNotTiny(stamp, path)
  const options = { busyTimeoutMs: BUSY_TIMEOUT_MS }
  // Whatever else it is, opening it says why it cannot be.
  return stamp?.isFile === true ? openUnasked(path, options) : openReadOnly(path, options)
}

/** SQLite takes a file without a whole page for a new database, and would delete the -wal beside it. */
function assertNotTiny({ isFile, fileBytes }: FileState, path: string): void {
  if (!isFile || fileBytes >= SMALLEST_PAGE_BYTES) return
  const kind = fileBytes === 0 ? 'empty-file' : 'not-a-database'
  throw new StoreTrouble({ kind, path, code: null })
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreTrouble && error.trouble.kind === 'locked'
}
