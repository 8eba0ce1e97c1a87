import { expect } from 'vitest'

import type { Store, StoreOptions, StoredEvent } from '../../src/store/store.ts'
import { checkedStore } from './checked-store.ts'
import { type EventRow, eventsOf, type Tables } from './tables.ts'

/** An empty database of one test. */
export interface TestDatabase {
  open(options: Required<StoreOptions>): Store
  dump(): Promise<Tables>
  /** Runs statements on the bare tables. */
  execute(sql: string): Promise<void>
  /** What is still open, once every store has been closed. */
  leaks(): Promise<readonly string[]>
  drop(): Promise<void>
}

export interface Backend {
  readonly name: string
  readonly dialect: 'sqlite' | 'postgres'
  makeDatabase(): Promise<TestDatabase>
}

export const START_MS = 1_700_000_000_000

/** A clock that moves only when told to. */
export class FakeClock {
  ms = START_MS

  now(): Date {
    return new Date(this.ms)
  }

  advance(ms: number): void {
    this.ms += ms
  }
}

/** `id-1`, `id-2`, … */
export function countingIds(): () => string {
  let count = 0
  return () => `id-${(count += 1)}`
}

export interface World {
  readonly backend: Backend
  /** Checks the rules of behaviour and the invariants with every call. */
  readonly store: Store
  readonly clock: FakeClock
  readonly database: TestDatabase
  readonly dump: () => Promise<Tables>
  /** One stored row. */
  readonly row: (sessionId: string, index: number) => Promise<EventRow>
  /** Claims all that is due for ten seconds as `worker` and answers the indexes. */
  readonly claim: (sessionId: string) => Promise<number[]>
  /** Claims and fails an event until it is a dead letter. */
  readonly kill: (sessionId: string, index: number) => Promise<void>
  /** Another store on the same database, without checks; the test closes it. */
  readonly openAnother: () => Store
  /** Ends the test: invariants, leaks, clean-up. */
  readonly finish: () => Promise<void>
}

export async function makeWorld(backend: Backend): Promise<World> {
  const database = await backend.makeDatabase()
  const clock = new FakeClock()
  const generateId = countingIds()
  const bare = database.open({ clock, generateId })
  // Creates the tables, so that they can be looked at before anything happened.
  await bare.append('', [])
  const store = checkedStore(
    bare,
    () => database.dump(),
    () => clock.ms,
  )
  const claim = async (sessionId: string): Promise<number[]> => {
    const answer = await store.claimPending({ sessionId, holder: 'worker', ttlMs: 10_000 })
    return answer.outcome === 'claimed' ? indexesOf(answer.events) : []
  }
  const row = async (sessionId: string, index: number): Promise<EventRow> => {
    const rows = eventsOf(await database.dump(), sessionId)
    const found = rows.find((one) => one.idx === index)
    if (found === undefined) throw new Error(`no row ${sessionId} #${index}`)
    return found
  }
  return {
    backend,
    store,
    clock,
    database,
    dump: () => database.dump(),
    row,
    claim,
    async kill(sessionId, index) {
      if (!(await claim(sessionId)).includes(index)) throw new Error(`#${index} is not due`)
      const { attempt_count: attempt } = await row(sessionId, index)
      const request = { sessionId, index, attempt, error: 'broken', maxFailures: 1 }
      expect((await store.failAttempt(request)).outcome).toBe('dead')
    },
    openAnother: () => database.open({ clock, generateId }),
    async finish() {
      await bare.close()
      try {
        expect(await database.leaks(), 'left open').toEqual([])
      } finally {
        await database.drop()
      }
    },
  }
}

export function indexesOf(events: readonly { readonly index: number }[]): number[] {
  return events.map((event) => event.index)
}

export function idsOf(events: readonly Pick<StoredEvent, 'id'>[]): string[] {
  return events.map((event) => event.id)
}

/** Plain events of type `t`. */
export function plain(count: number): { readonly type: string }[] {
  return Array.from({ length: count }, () => ({ type: 't' }))
}
