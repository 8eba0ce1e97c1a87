import type { ConnectionReport } from '../model/connection-report.ts'

/** What a person can see of, and do to, the way to a server. A file has none. */
export interface ConnectionSource {
  /** `clockDifferenceMs`: the database's clock minus this machine's, as far as it is known. */
  report(clockDifferenceMs: number): ConnectionReport
  /** Rejects with StoreTrouble. */
  reconnect(): Promise<void>
  /** Stops the reads under way; answers how many. */
  cancelReads(): number
  onChange(listener: () => void): () => void
}
