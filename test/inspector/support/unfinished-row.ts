import type { UnfinishedRow } from '../../../src/inspector/queries/work.ts'

/** An event that waits for a worker, but for the values given. */
export function makeRow(sessionId: string, index: number, values: Partial<UnfinishedRow> = {}) {
  return {
    sessionId,
    index,
    rowid: index,
    lane: null,
    laneReady: true,
    failedAt: null,
    failureCount: 0,
    claimExpiresAt: null,
    ...values,
  }
}
