import { describe, expect, inject, it } from 'vitest'

import type { Store } from '../../src/store/store.ts'
import { postgresBackend } from './backends.ts'
import { violations } from './invariants.ts'
import { clearIndexIn, eventsOf, headIn, sessionsIn, type Tables } from './tables.ts'

const CONNECTIONS = 8
const SESSIONS = ['a', 'b', 'c', 'd']
const RUN_MS = 20_000

/** What was acknowledged, to be found again in the end. */
interface Ledger {
  readonly appended: { sessionId: string; id: string; index: number }[]
  /** Completions by `session#index`. */
  readonly completed: Map<string, number>
  readonly cleared: { sessionId: string; index: number }[]
  readonly done: Map<string, number>
}

async function work(store: Store, worker: number, until: number, ledger: Ledger): Promise<void> {
  const holder = `worker-${worker}`
  for (let round = 0; Date.now() < until; round += 1) {
    const sessionId = SESSIONS[(round * 7 + worker) % SESSIONS.length]!
    const roll = (round * 31 + worker * 17) % 100
    if (roll < 40) await appendSome(store, sessionId, `${worker}-${round}`, ledger)
    else if (roll < 88) await handleSome(store, sessionId, holder, `${worker}-${round}`, ledger)
    else if (roll < 92) {
      const answer = await store.clear({ sessionId })
      if (answer.cleared) ledger.cleared.push({ sessionId, index: answer.clearIndex })
    } else if (roll < 96) await store.reclaim(sessionId)
    else await redriveSome(store, sessionId, round)
    count(ledger.done, roll < 40 ? 'append' : roll < 88 ? 'handle' : 'other')
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

async function appendSome(store: Store, sessionId: string, name: string, ledger: Ledger) {
  const batch = ['l', 'm', null].map((lane, n) => ({ type: 'work', lane, id: `${name}-${n}` }))
  const { events } = await store.append(sessionId, batch)
  for (const { id, index } of events) ledger.appended.push({ sessionId, id, index })
}

async function handleSome(
  store: Store,
  sessionId: string,
  holder: string,
  name: string,
  ledger: Ledger,
) {
  // Short leases: claims are taken over all the time, and every taken-over attempt must lose.
  const answer = await store.claimPending({ sessionId, holder, ttlMs: 3 })
  if (answer.outcome !== 'claimed') return
  for (const { index, attemptCount: attempt } of answer.events.slice(0, 4)) {
    if (index % 5 === 0) {
      const error = `by ${holder}`
      await store.failAttempt({ sessionId, index, attempt, error, maxFailures: 2 })
      continue
    }
    if (index % 7 === 0) await appendAsHandler(store, sessionId, { index, attempt })
    const events = [
      {
        type: 'child',
        id: `${name}-${index}`,
        lane: index % 2 ? 'l' : null,
        settled: index % 3 > 0,
      },
    ]
    const completion = await store.completeAttempt({ sessionId, index, attempt, events })
    if (completion.outcome !== 'completed') continue
    count(ledger.completed, `${sessionId}#${index}`)
    for (const event of completion.events)
      ledger.appended.push({ sessionId, id: event.id, index: event.index })
  }
}

async function appendAsHandler(
  store: Store,
  sessionId: string,
  cause: { readonly index: number; readonly attempt: number },
) {
  try {
    await store.append(sessionId, [{ type: 'note', cause, settled: true }])
  } catch (error) {
    expect(error).toMatchObject({ code: 'SUPERSEDED_ATTEMPT' })
  }
}

async function redriveSome(store: Store, sessionId: string, round: number) {
  const [dead] = await store.deadLetters(sessionId)
  const action = round % 2 === 0 ? 'retry' : 'skip'
  if (dead !== undefined) await store.redrive({ sessionId, index: dead.index, action })
}

/** Every promise that the tables do not keep. */
function broken(tables: Tables, ledger: Ledger): string[] {
  const found: string[] = violations(tables)
  const check = (holds: boolean, what: string): void => {
    if (!holds) found.push(what)
  }
  const stored = new Map(tables.events.map((row) => [row.event_id, row]))
  const places = new Set<string>()
  for (const { sessionId, id, index } of ledger.appended) {
    const place = `${sessionId} #${index}`
    check(!places.has(place), `${place} given twice`)
    places.add(place)
    check(index <= headIn(tables, sessionId), `${place} beyond the head`)
    const isCleared = index <= clearIndexIn(tables, sessionId)
    check(isCleared || stored.get(id)?.idx === index, `${place} lost`)
  }
  for (const { sessionId, index } of ledger.cleared)
    check(clearIndexIn(tables, sessionId) >= index, `the clear of ${sessionId} #${index} lost`)
  for (const [key, times] of ledger.completed) {
    check(times === 1, `${key} completed ${times} times`)
    const [sessionId = '', index] = key.split('#')
    const row = eventsOf(tables, sessionId).find((one) => one.idx === Number(index))
    check(row?.processed_at !== null, `the completion of ${key} lost`)
  }
  return found
}

describe.each(inject('postgresServers'))('eight connections at once on $name', (server) => {
  it('keep every promise', { timeout: RUN_MS + 60_000 }, async () => {
    const database = await postgresBackend(server).makeDatabase()
    const ledger: Ledger = { appended: [], completed: new Map(), cleared: [], done: new Map() }
    let ids = 0
    const stores = Array.from({ length: CONNECTIONS }, () =>
      database.open({ clock: { now: () => new Date() }, generateId: () => `made-${(ids += 1)}` }),
    )
    try {
      const until = Date.now() + RUN_MS
      await Promise.all(stores.map((store, worker) => work(store, worker, until, ledger)))
      for (const kind of ['append', 'handle', 'other'])
        expect(ledger.done.get(kind), `${kind} hardly ran`).toBeGreaterThan(50)
      expect(ledger.completed.size).toBeGreaterThan(50)
      const tables = await database.dump()
      expect(broken(tables, ledger)).toEqual([])
      expect(sessionsIn(tables).toSorted()).toEqual(SESSIONS)
      for (const sessionId of SESSIONS) {
        await stores[0]!.clear({ sessionId })
        while (!(await stores[0]!.reclaim(sessionId)).done);
      }
      expect((await database.dump()).events).toHaveLength(SESSIONS.length)
    } finally {
      await Promise.all(stores.map((store) => store.close()))
      const left = await database.leaks()
      await database.drop()
      expect(left).toEqual([])
    }
  })
})
