import type { SqliteFootprint } from '../model/footprint.ts'
import { type FileStamp, readStamp } from './file-watch.ts'
import type { Meter } from './meter.ts'

/** What is taken of a file, by our own counts and what the file system says of the -wal. */
export class FileFootprint {
  readonly #path: string
  readonly #meter: Meter
  #first: FileStamp | null | undefined

  constructor(path: string, meter: Meter) {
    this.#path = path
    this.#meter = meter
  }

  /** From now on it is told how much the -wal grew. Only the first call counts. */
  begin(): void {
    if (this.#first === undefined) this.#first = readStamp(this.#path)
  }

  take(): Omit<SqliteFootprint, 'refreshMs'> {
    const stamp = readStamp(this.#path)
    // Another file has another -wal; one that was not there had none.
    if (this.#first?.identity !== stamp?.identity) this.#first = stamp
    const { since, rowsRead, lastQuery, openHandles, openTransactions } = this.#meter
    return {
      dialect: 'sqlite',
      since,
      rowsRead,
      lastQuery,
      openHandles,
      openTransactions,
      longestHandleMs: this.#meter.longestHandleMs,
      longestTransactionMs: this.#meter.longestTransactionMs,
      walBytes: stamp?.walBytes ?? null,
      walGrowthBytes: (stamp?.walBytes ?? 0) - (this.#first?.walBytes ?? 0),
    }
  }
}
