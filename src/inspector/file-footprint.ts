import type { SqliteFootprint } from '../model/footprint.ts'
import { readStamp } from './file-watch.ts'
import type { Meter } from './meter.ts'

/** What is taken of a file, by our own counts and what the file system says of the -wal. */
export function fileFootprint(
  path: string,
  meter: Meter,
): () => Omit<SqliteFootprint, 'refreshMs'> {
  let first = readStamp(path)
  return () => {
    const stamp = readStamp(path)
    // Another file has another -wal; one that was not there had none.
    if (first?.identity !== stamp?.identity) first = stamp
    const { since, rowsRead, lastQuery, openHandles, openTransactions } = meter
    return {
      dialect: 'sqlite',
      since,
      rowsRead,
      lastQuery,
      openHandles,
      openTransactions,
      longestHandleMs: meter.longestHandleMs,
      longestTransactionMs: meter.longestTransactionMs,
      walBytes: stamp?.walBytes ?? null,
      walGrowthBytes: (stamp?.walBytes ?? 0) - (first?.walBytes ?? 0),
    }
  }
}
