import { readStamp, watchFile } from './file-watch.ts'
import type { Reader } from './reader.ts'

export type WatchPace = 'visible' | 'hidden'

export interface Noticed {
  /** `performance.now()` of when it was noticed. */
  readonly at: number
  readonly hasChanged: boolean
  /** Something changed, or may have without being seen. */
  readonly isWorthALook: boolean
}

/** Notices changes as long as it is open. */
export interface ChangeWatch {
  /** The longest pause between two looks. */
  readonly pollMs: number
  setPace(pace: WatchPace): void
  /** Looks at once: something was just written by us. */
  poke(): void
  close(): void
}

export type OpenWatch = (pace: WatchPace, hear: (noticed: Noticed) => void) => ChangeWatch

/** A folder event comes before its commit can be read: look after this time, which also gathers many into one. */
const SETTLE_MS = { visible: 16, hidden: 250 }
const POLL_MS = { visible: 250, hidden: 1000 }
/** After so many changes in a row somebody writes steadily: then it is looked by the clock, and the folder is let go. */
const STEADY_LOOKS = 4

type Reason = 'certain' | 'told' | 'polled'
type Found = 'changed' | 'maybe' | 'still'

/** Watches a file by its folder, and asks the file system now and then. */
export function fileWatch(
  reader: Pick<Reader, 'path' | 'identity'>,
  watchFolder: typeof watchFile = watchFile,
): OpenWatch {
  const traces = new FileTraces(reader.path)
  return (pace, hear) => new FileWatch({ reader, traces, hear, watchFolder }, pace)
}

/** What writes leave behind in the file system, as far as it was noted. */
class FileTraces {
  readonly #path: string
  /** null: no file; undefined: not looked yet. */
  #state: string | null | undefined = undefined
  /** Until then a write may hide behind the last one; afterwards there is one more look, for the last such write. */
  #blindUntil = 0
  #owesALook = false

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Whether something was, or may have been, written. That the folder says so is not enough: run by root,
   * SQLite sets the owner of the -wal whenever it opens it, so our own reading would keep us reading.
   */
  note(why: Reason): Found {
    const stamp = readStamp(this.#path)
    const state = stamp?.state ?? null
    const now = performance.now()
    if (state !== this.#state) {
      this.#state = state
      this.#blindUntil = now + (stamp?.blindMs ?? 0)
      this.#owesALook = true
      return 'changed'
    }
    if (now < this.#blindUntil) return why === 'told' ? 'maybe' : 'still'
    const isLast = this.#owesALook
    this.#owesALook = false
    return isLast ? 'maybe' : 'still'
  }
}

interface FileWatchOptions {
  readonly reader: Pick<Reader, 'path' | 'identity'>
  readonly traces: FileTraces
  readonly hear: (noticed: Noticed) => void
  readonly watchFolder: typeof watchFile
}

class FileWatch implements ChangeWatch {
  readonly #options: FileWatchOptions
  #pace: WatchPace
  #identity: string | null
  /** null while somebody writes steadily: each write would wake this process, in the middle of a commit. */
  #watcher: { close(): void } | null
  #poll: NodeJS.Timeout
  #settle: NodeJS.Timeout | null = null
  #noticedAt = 0
  #changesInARow = 0
  #isClosed = false

  constructor(options: FileWatchOptions, pace: WatchPace) {
    this.#options = options
    this.#pace = pace
    this.#identity = options.reader.identity()
    this.#watcher = this.#startWatching()
    this.#poll = this.#startPolling()
  }

  get pollMs(): number {
    return POLL_MS[this.#pace]
  }

  setPace(pace: WatchPace): void {
    this.#pace = pace
    clearInterval(this.#poll)
    this.#poll = this.#startPolling()
  }

  poke(): void {
    this.#noticedAt = performance.now()
    this.#look('certain')
  }

  close(): void {
    this.#isClosed = true
    this.#watcher?.close()
    clearInterval(this.#poll)
    if (this.#settle !== null) clearTimeout(this.#settle)
  }

  #startPolling(): NodeJS.Timeout {
    return setInterval(() => this.#look('polled'), POLL_MS[this.#pace]).unref()
  }

  #startWatching(): { close(): void } {
    return this.#options.watchFolder(this.#options.reader.path, () => this.#lookSoon())
  }

  #lookSoon(): void {
    if (this.#settle !== null || this.#isClosed) return
    this.#noticedAt = performance.now()
    this.#settle = setTimeout(() => {
      this.#settle = null
      this.#follow(this.#look('told'))
    }, SETTLE_MS[this.#pace])
    this.#settle.unref()
  }

  /** Goes on looking while somebody writes steadily, and has the folder watched again once nobody does. */
  #follow(found: Found): void {
    this.#changesInARow = found === 'changed' ? this.#changesInARow + 1 : 0
    if (this.#watcher !== null && this.#changesInARow < STEADY_LOOKS) return
    if (found === 'still') this.#watcher = this.#startWatching()
    else this.#letGo()
    // Also once after it is watched again: for what was written just before that.
    this.#lookSoon()
  }

  #letGo(): void {
    this.#watcher?.close()
    this.#watcher = null
  }

  /** The folder may be another one: a link that points elsewhere, a folder made anew. */
  #watchAnew(): void {
    const identity = this.#options.reader.identity()
    if (identity === null || identity === this.#identity) return
    this.#identity = identity
    if (this.#watcher === null) return
    this.#watcher.close()
    this.#watcher = this.#startWatching()
  }

  #look(why: Reason): Found {
    if (why === 'polled') this.#noticedAt = performance.now()
    const found = this.#options.traces.note(why)
    if (found === 'changed') this.#watchAnew()
    const isWritten = found !== 'still' || why === 'certain'
    this.#options.hear({ at: this.#noticedAt, hasChanged: isWritten, isWorthALook: isWritten })
    return found
  }
}
