import { describe, expect, it } from 'vitest'

import type { EventFacts, EventState } from './event.ts'
import { deriveClearedAs, deriveEventState } from './event.ts'

const NOW = 1_000_000
const fresh: EventFacts = {
  index: 10,
  isMarker: false,
  laneReady: true,
  processedAt: null,
  failedAt: null,
  attemptCount: 0,
  failureCount: 0,
  claimExpiresAt: null,
}

describe('deriveEventState', () => {
  const cases: [EventState, string, Partial<EventFacts>, number?][] = [
    ['ready', 'nothing happened yet', {}],
    ['retrying', 'failed once, its turn', { attemptCount: 1, failureCount: 1 }],
    ['blocked', 'not its turn', { laneReady: false }],
    ['blocked', 'not its turn, failures or not', { laneReady: false, failureCount: 2 }],
    ['running', 'claimed, one millisecond left', { attemptCount: 1, claimExpiresAt: NOW + 1 }],
    ['expired', 'the claim ends exactly now', { attemptCount: 1, claimExpiresAt: NOW }],
    ['running', 'a claim outlives lane_ready', { laneReady: false, claimExpiresAt: NOW + 1 }],
    ['dead', 'failed for good', { attemptCount: 5, failureCount: 5, failedAt: 1 }],
    ['dead', 'failed for good, a claim left behind', { failedAt: 1, claimExpiresAt: NOW + 1 }],
    ['skipped', 'dead, then skipped', { attemptCount: 5, failedAt: 1, processedAt: 2 }],
    ['skipped', 'skipped without an attempt on record', { failedAt: 1, processedAt: 2 }],
    ['processed', 'attempted and done', { attemptCount: 1, processedAt: 2 }],
    ['settled', 'appended as done', { processedAt: 2 }],
    ['cleared', 'below the marker, whatever it was', { failedAt: 1 }, 11],
    ['marker', 'the current marker', { isMarker: true, processedAt: 2 }, 10],
    ['marker', 'an older marker', { isMarker: true, processedAt: 2 }, 20],
    ['ready', 'above the marker', {}, 9],
  ]
  it.each(cases)('%s: %s', (state, _why, facts, clearIndex = 0) => {
    expect(deriveEventState({ ...fresh, ...facts }, { clearIndex, now: NOW })).toBe(state)
  })
})

describe('deriveClearedAs', () => {
  it.each([
    ['abandoned', {}],
    ['abandoned', { attemptCount: 3 }],
    ['dead', { failedAt: 1, attemptCount: 3 }],
    ['processed', { processedAt: 1, attemptCount: 1 }],
    ['settled', { processedAt: 1 }],
    ['skipped', { processedAt: 1, failedAt: 1, attemptCount: 1 }],
  ] as const)('%s', (was, facts) => {
    expect(deriveClearedAs({ ...fresh, ...facts })).toBe(was)
  })
})
