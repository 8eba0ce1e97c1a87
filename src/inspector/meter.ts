import type { Footprint } from '../model/footprint.ts'
import type { ReadHandle } from '../store/sqlite/open.ts'

/** Counts what one process takes of a database. */
export class Meter {
  readonly since = Date.now()
  rowsRead = 0
  lastQuery: Footprint['lastQuery'] = null
  openHandles = 0
  openTransactions = 0
  longestHandleMs = 0
  longestTransactionMs = 0

  /** A screen was answered. */
  noteAnswer(tookMs: number): void {
    this.lastQuery = { tookMs, at: Date.now() }
  }

  /** A handle was opened; the answer is for when it is closed. */
  noteHandle(): () => void {
    const startedAt = performance.now()
    let isOpen = true
    this.openHandles += 1
    return () => {
      if (!isOpen) return
      isOpen = false
      this.openHandles -= 1
      this.longestHandleMs = Math.max(this.longestHandleMs, performance.now() - startedAt)
    }
  }

  /** Runs what is one transaction. */
  transaction<T>(run: () => T): T {
    const startedAt = performance.now()
    this.openTransactions += 1
    try {
      return run()
    } finally {
      this.openTransactions -= 1
      this.longestTransactionMs = Math.max(this.longestTransactionMs, performance.now() - startedAt)
    }
  }
}

/** The same handle, counted from now on. */
export function metered(handle: ReadHandle, meter: Meter): ReadHandle {
  const closed = meter.noteHandle()
  return {
    all: <Row>(...call: Parameters<ReadHandle['all']>) => {
      const rows = handle.all<Row>(...call)
      meter.rowsRead += rows.length
      return rows
    },
    lists: (...call) => {
      const rows = handle.lists(...call)
      meter.rowsRead += rows.length
      return rows
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the handle has it
    get: <Row>(...call: Parameters<ReadHandle['get']>) => {
      const row = handle.get<Row>(...call)
      if (row !== undefined) meter.rowsRead += 1
      return row
    },
    snapshot: (run) => meter.transaction(() => handle.snapshot(run)),
    close: () => {
      handle.close()
      closed()
    },
  }
}
