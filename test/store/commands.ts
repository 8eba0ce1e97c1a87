import * as fc from 'fast-check'

import type { ReturnedEvent, Store } from '../../src/store/store.ts'
import { clearIndexIn, type EventRow, eventsOf, headIn, type Tables } from './tables.ts'

const SESSIONS = ['s', 't'] as const

/** One random step. Numbers between 0 and 99 stand for "some event", chosen when the step is run. */
export type Command =
  | {
      readonly kind: 'append'
      readonly session: string
      readonly events: readonly {
        readonly lane: string | null
        readonly isSettled: boolean
        /** An id out of a few, so that ids meet again; null: none. */
        readonly id: number | null
      }[]
      readonly cause: { readonly event: number; readonly isStale: boolean } | null
      readonly origin: number | null
    }
  | {
      readonly kind: 'claim'
      readonly session: string
      readonly holder: string
      readonly ttlMs: number
    }
  | { readonly kind: 'renew'; readonly session: string; readonly holder: string }
  | {
      readonly kind: 'complete'
      readonly session: string
      readonly event: number
      readonly isStale: boolean
      readonly children: readonly { readonly lane: string | null; readonly id: number }[]
    }
  | {
      readonly kind: 'fail'
      readonly session: string
      readonly event: number
      readonly isStale: boolean
      readonly maxFailures: number
    }
  | {
      readonly kind: 'redrive'
      readonly session: string
      readonly event: number
      readonly action: 'retry' | 'skip'
    }
  | {
      readonly kind: 'snapshot'
      readonly session: string
      readonly reducer: string
      readonly writes: readonly { readonly at: number; readonly pins: readonly number[] }[]
    }
  | {
      readonly kind: 'clear'
      readonly session: string
      readonly guard: number | null
      readonly cause: number | null
    }
  | { readonly kind: 'reclaim'; readonly session: string }
  | { readonly kind: 'read'; readonly session: string; readonly from: number; readonly to: number }
  | { readonly kind: 'wait'; readonly ms: number }

const session = fc.constantFrom('s', 's', 's', 't')
const lane = fc.constantFrom(null, null, 'l', 'm')
const some = fc.nat(99)
const id = fc.nat(12)
const isStale = fc.nat(4).map((roll) => roll === 0)
const holder = fc.constantFrom('a', 'b')
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })

const append = fc.record({
  kind: fc.constant('append' as const),
  session,
  events: fc.array(fc.record({ lane, isSettled: fc.boolean(), id: rarely(id) }), {
    minLength: 1,
    maxLength: 4,
    size: 'max',
  }),
  cause: rarely(fc.record({ event: some, isStale })),
  origin: rarely(some),
})

const ofAttempt = { session, event: some, isStale }

export const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: append },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('claim' as const),
        session,
        holder,
        ttlMs: fc.constantFrom(5, 20),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('renew' as const), session, holder }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('complete' as const),
        ...ofAttempt,
        children: fc.array(fc.record({ lane, id }), { maxLength: 2 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('fail' as const),
        ...ofAttempt,
        maxFailures: fc.constantFrom(1, 2),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('redrive' as const),
        session,
        event: some,
        action: fc.constantFrom('retry' as const, 'skip' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('snapshot' as const),
        session,
        reducer: fc.constantFrom('r', 'q'),
        writes: fc.uniqueArray(fc.record({ at: some, pins: fc.array(some, { maxLength: 2 }) }), {
          maxLength: 3,
          selector: (write) => write.at,
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('clear' as const),
        session,
        guard: fc.option(some, { nil: null, freq: 3 }),
        cause: rarely(some),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reclaim' as const), session }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('read' as const), session, from: some, to: some }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 6, 30) }),
    },
  ),
  { minLength: 25, maxLength: 50, size: 'max' },
)

/** Runs a step and answers what it answered, an error as its name and code. `tables` are those of before. */
export async function runCommand(
  store: Store,
  command: Exclude<Command, { kind: 'wait' }>,
  tables: Tables,
): Promise<unknown> {
  try {
    return await call(store, command, tables)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const code = 'code' in error ? error.code : null
    if (error.name === 'AssertionError' || code === 'STORE_UNAVAILABLE') throw error
    return { error: error.name, code, message: error.message }
  }
}

function call(
  store: Store,
  command: Exclude<Command, { kind: 'wait' }>,
  tables: Tables,
): Promise<unknown> {
  const { session: sessionId } = command
  const head = headIn(tables, sessionId)
  /** An index from −1 to one beyond the head, or one of the events that are worked on. */
  const indexAt = (number: number): number => {
    if (number % 10 === 0) return (number % (head + 3)) - 1
    const events = eventsOf(tables, sessionId)
    const worked = events.filter((row) => isInteresting(row))
    const pool = worked.length > 0 ? worked : events
    return pool[number % Math.max(1, pool.length)]?.idx ?? 1
  }
  const attemptOf = (index: number, stale: boolean): number => {
    const row = eventsOf(tables, sessionId).find((one) => one.idx === index)
    return Math.max(0, (row?.attempt_count ?? 1) - (stale ? 1 : 0))
  }
  switch (command.kind) {
    case 'append': {
      const index = command.cause === null ? 0 : indexAt(command.cause.event)
      const cause =
        command.cause === null ? null : { index, attempt: attemptOf(index, command.cause.isStale) }
      const events = command.events.map((event, n) => ({
        type: `t${n}`,
        payload: { n, list: [n] },
        lane: event.lane,
        settled: event.isSettled,
        id: event.id === null ? undefined : `own-${event.id}`,
        cause,
      }))
      const originIndex = command.origin === null ? undefined : indexAt(command.origin)
      return store.append(sessionId, events, { originIndex })
    }
    case 'claim':
      return store.claimPending({ sessionId, holder: command.holder, ttlMs: command.ttlMs })
    case 'renew': {
      const claims = eventsOf(tables, sessionId)
        .slice(-6)
        .map((row) => ({ index: row.idx, attempt: Math.max(1, row.attempt_count) }))
      return store.renew({ sessionId, holder: command.holder, ttlMs: 10, claims })
    }
    case 'complete': {
      const index = indexAt(command.event)
      const events: ReturnedEvent[] = command.children.map((child, n) => ({
        type: 'child',
        id: `own-${child.id}`,
        lane: child.lane,
        payload: n,
      }))
      const attempt = attemptOf(index, command.isStale)
      return store.completeAttempt({ sessionId, index, attempt, events })
    }
    case 'fail': {
      const index = indexAt(command.event)
      const attempt = attemptOf(index, command.isStale)
      const { maxFailures } = command
      return store.failAttempt({ sessionId, index, attempt, error: `e${attempt}`, maxFailures })
    }
    case 'redrive':
      return store.redrive({ sessionId, index: indexAt(command.event), action: command.action })
    case 'snapshot': {
      // One write per index, none beyond the head: those two are answered differently by design.
      const writes = new Map(
        command.writes.map((write) => {
          const index = write.at % (head + 1)
          const pinEventIndexes = write.pins.map(indexAt)
          return [index, { index, state: { at: write.at }, pinEventIndexes }]
        }),
      )
      return store.putSnapshots(sessionId, command.reducer, [...writes.values()])
    }
    case 'clear': {
      const index = command.cause === null ? 0 : indexAt(command.cause)
      const guards = [head, head, clearIndexIn(tables, sessionId) - 1, head - 1]
      return store.clear({
        sessionId,
        ifLastIndex: command.guard === null ? undefined : guards[command.guard % guards.length],
        cause: command.cause === null ? undefined : { index, attempt: attemptOf(index, false) },
      })
    }
    case 'reclaim':
      return reclaimAll(store, sessionId)
    case 'read':
      break
  }
  return readAll(store, sessionId, indexAt(command.from), indexAt(command.to))
}

function isInteresting(row: EventRow): boolean {
  return row.claim_holder !== null || row.failed_at !== null
}

/** The number of calls differs by design; what is gone in the end does not. */
async function reclaimAll(store: Store, sessionId: string): Promise<number> {
  for (let deleted = 0; ;) {
    const answer = await store.reclaim(sessionId)
    deleted += answer.deleted
    if (answer.done) return deleted
  }
}

async function readAll(store: Store, sessionId: string, from: number, to: number) {
  const bounds = { throughIndex: to, snapshotThroughIndex: from }
  return {
    events: await store.read(sessionId, { afterIndex: from, throughIndex: to }),
    dead: await store.deadLetters(sessionId),
    state: await store.readState(sessionId, 'r'),
    states: await store.readStates(
      'q',
      SESSIONS.map((one) => ({ ...bounds, sessionId: one })),
    ),
    pending: await store.append(sessionId, []),
  }
}
