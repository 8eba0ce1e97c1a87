import { expect } from 'vitest'

import type { ClaimRequest, Store } from '../../src/store/store.ts'
import { violations } from './invariants.ts'
import {
  clearIndexIn,
  eventsOf,
  hasPendingIn,
  headIn,
  sessionsIn,
  type EventRow,
  type Tables,
} from './tables.ts'

/** A store whose every operation is held against the rules of behaviour, judged by the tables before and after it. */
export function checkedStore(store: Store, dump: () => Promise<Tables>, now: () => number): Store {
  const around = async <T>(
    run: () => Promise<T>,
    check: (answer: T, before: Tables, after: Tables) => void,
  ): Promise<T> => {
    const before = await dump()
    let answer: T
    try {
      answer = await run()
    } catch (error) {
      expect(await dump(), 'B4 a failed operation changed something').toEqual(before)
      throw error
    }
    const after = await dump()
    checkProgress(before, after)
    check(answer, before, after)
    expect(violations(after)).toEqual([])
    return answer
  }
  const unchanged = (before: Tables, after: Tables): void => {
    expect(after, 'B8 an operation that only reads changed something').toEqual(before)
  }
  return {
    ...store,
    append: (sessionId, events, options) =>
      around(
        () => store.append(sessionId, events, options),
        (answer, before, after) => {
          if (events.length === 0) unchanged(before, after)
          expect(answer.hasPending, 'B6').toBe(hasPendingIn(after, sessionId))
        },
      ),
    read: (sessionId, range) =>
      around(
        () => store.read(sessionId, range),
        (answer, before, after) => {
          unchanged(before, after)
          expectFromMarkerOn(answer, before, sessionId)
        },
      ),
    claimPending: (request) =>
      around(
        () => store.claimPending(request),
        (answer, before, after) => {
          const events = answer.outcome === 'claimed' ? answer.events : []
          checkClaim(request, events, before, after, now())
        },
      ),
    renew: (request) =>
      around(
        () => store.renew(request),
        (answer, before) => {
          const clearIndex = clearIndexIn(before, request.sessionId)
          for (const { index } of request.claims)
            if (index <= clearIndex) expect(answer.superseded, 'B3').toContain(index)
        },
      ),
    completeAttempt: (request) =>
      around(
        () => store.completeAttempt(request),
        (answer, before, after) => {
          if (request.index > clearIndexIn(before, request.sessionId)) return
          expect(answer, 'B3').toEqual({ outcome: 'superseded' })
          expect(after, 'B3').toEqual(before)
        },
      ),
    failAttempt: (request) =>
      around(
        () => store.failAttempt(request),
        (answer, before, after) => {
          if (request.index > clearIndexIn(before, request.sessionId)) return
          expect(answer, 'B3').toEqual({ outcome: 'superseded', failureCount: 0 })
          expect(after, 'B3').toEqual(before)
        },
      ),
    deadLetters: (sessionId) =>
      around(
        () => store.deadLetters(sessionId),
        (answer, before, after) => {
          unchanged(before, after)
          expectFromMarkerOn(answer, before, sessionId)
        },
      ),
    redrive: (request) =>
      around(
        () => store.redrive(request),
        (answer, before, after) => {
          expect(answer.hasPending, 'B6').toBe(hasPendingIn(after, request.sessionId))
          if (!answer.redriven) expect(after).toEqual(before)
          if (request.index <= clearIndexIn(before, request.sessionId))
            expect(answer.redriven, 'B3').toBe(false)
        },
      ),
    readState: (sessionId, reducer, bounds) =>
      around(
        () => store.readState(sessionId, reducer, bounds),
        (answer, before, after) => {
          unchanged(before, after)
          expectFromMarkerOn(answer.events, before, sessionId)
          const clearIndex = clearIndexIn(before, sessionId)
          expect(answer.headIndex ?? clearIndex, 'B1').toBeGreaterThanOrEqual(clearIndex)
          expect(answer.snapshot?.index ?? clearIndex, 'B1').toBeGreaterThanOrEqual(clearIndex)
        },
      ),
    readStates: (reducer, reads) =>
      around(
        () => store.readStates(reducer, reads),
        (_answer, before, after) => {
          unchanged(before, after)
        },
      ),
    putSnapshots: (sessionId, reducer, writes) =>
      around(
        () => store.putSnapshots(sessionId, reducer, writes),
        (_answer, before, after) => {
          expect(after.events).toEqual(before.events)
        },
      ),
    clear: (request) =>
      around(
        () => store.clear(request),
        (answer, before, after) => {
          expect(answer.index).toBe(headIn(after, request.sessionId))
          expect(answer.clearIndex).toBe(clearIndexIn(after, request.sessionId))
          if (!answer.cleared) expect(after).toEqual(before)
        },
      ),
    reclaim: (sessionId) =>
      around(
        () => store.reclaim(sessionId),
        (answer, before, after) => {
          checkReclaim(sessionId, answer, before, after)
        },
      ),
  }
}

function checkProgress(before: Tables, after: Tables): void {
  for (const sessionId of sessionsIn(before)) {
    const head = headIn(before, sessionId)
    const clearIndex = clearIndexIn(before, sessionId)
    expect(headIn(after, sessionId), 'B5 the head went back').toBeGreaterThanOrEqual(head)
    expect(clearIndexIn(after, sessionId), 'B5').toBeGreaterThanOrEqual(clearIndex)
  }
}

function expectFromMarkerOn(
  events: readonly { readonly index: number }[],
  tables: Tables,
  sessionId: string,
): void {
  const clearIndex = clearIndexIn(tables, sessionId)
  expect(
    events.filter((event) => event.index < clearIndex),
    'B1 cleared events',
  ).toEqual([])
}

function isClaimable(row: EventRow, clearIndex: number, now: number): boolean {
  const isFree = row.claim_expires_at === null || row.claim_expires_at <= now
  const isOpen = row.processed_at === null && row.failed_at === null
  return row.idx > clearIndex && isOpen && row.lane_ready && isFree
}

function checkClaim(
  request: ClaimRequest,
  claimed: readonly { readonly index: number; readonly clearIndex?: number }[],
  before: Tables,
  after: Tables,
  now: number,
): void {
  const clearIndex = clearIndexIn(before, request.sessionId)
  const due = eventsOf(before, request.sessionId).filter(
    (row) => isClaimable(row, clearIndex, now) && !(request.excludeIndexes ?? []).includes(row.idx),
  )
  expect(
    claimed.map((event) => event.index),
    'B2 all that is due, and nothing else',
  ).toEqual(due.map((row) => row.idx))
  for (const event of claimed) {
    expect(event.clearIndex, 'B2').toBe(clearIndex > 0 ? clearIndex : undefined)
    expect('clearIndex' in event, 'B2').toBe(clearIndex > 0)
  }
  const expiresAt = 'expiresAtMs' in request ? request.expiresAtMs : now + request.ttlMs
  const expected = before.events.map((row) =>
    due.includes(row)
      ? {
          ...row,
          attempt_count: row.attempt_count + 1,
          claim_holder: request.holder,
          claim_expires_at: expiresAt,
        }
      : row,
  )
  expect(after, 'B2').toEqual({ ...before, events: expected })
}

function checkReclaim(
  sessionId: string,
  answer: { readonly deleted: number; readonly done: boolean },
  before: Tables,
  after: Tables,
): void {
  const clearIndex = clearIndexIn(before, sessionId)
  const isKept = (row: EventRow): boolean => row.session_id !== sessionId || row.idx >= clearIndex
  expect(after.events.filter(isKept), 'B7').toEqual(before.events.filter(isKept))
  expect(before.events.length - after.events.length, 'B7').toBe(answer.deleted)
  expect(answer.deleted, 'B7').toBeLessThanOrEqual(256)
  expect(after.clears).toEqual(before.clears)
  if (!answer.done) return
  const isBelow = (row: { readonly session_id: string; readonly up_to_index: number }): boolean =>
    row.session_id === sessionId && row.up_to_index < clearIndex
  expect(
    after.events.filter((row) => !isKept(row)),
    'B7',
  ).toEqual([])
  for (const rows of [after.snapshots, after.history, after.pins])
    expect(rows.filter(isBelow), 'B7').toEqual([])
}
