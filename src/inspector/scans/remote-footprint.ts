import type { SqliteFootprint } from '../../model/footprint.ts'

export type ScanFootprint = Omit<SqliteFootprint, 'refreshMs'>

/** A process that does not answer for so long runs a statement. */
const BUSY_MS = 250

/** What the process beside this one takes, by its own last word; what it read stays counted when it ends. */
export class RemoteFootprint {
  #last: ScanFootprint | null = null
  #rowsBefore = 0
  #askedAt: number | null = null

  /** null: no process has said anything so far. `ask`: asks the one that is there, for the next time. */
  read(ask: (() => void) | null): ScanFootprint | null {
    const now = performance.now()
    const isBusy = this.#askedAt !== null && now - this.#askedAt > BUSY_MS
    if (ask !== null && this.#askedAt === null) {
      this.#askedAt = now
      ask()
    }
    const last = this.#last
    if (last === null || !isBusy) return last
    return {
      ...last,
      openHandles: Math.max(1, last.openHandles),
      openTransactions: Math.max(1, last.openTransactions),
    }
  }

  hear(footprint: ScanFootprint): void {
    this.#askedAt = null
    this.#last = { ...footprint, rowsRead: footprint.rowsRead + this.#rowsBefore }
  }

  /** The process is gone, and with it all it held. */
  lose(): void {
    this.#askedAt = null
    if (this.#last === null) return
    this.#rowsBefore = this.#last.rowsRead
    this.#last = { ...this.#last, openHandles: 0, openTransactions: 0 }
  }
}
