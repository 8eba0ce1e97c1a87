import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { sqlite } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'
import { listen } from './support/listen.ts'
import { type Client, makeFolder, open, until, viewAll } from './support/open.ts'

interface Row {
  readonly session_id: string
  readonly idx: number
  readonly event_type: string
  readonly lane: string | null
  readonly lane_ready: number
  readonly processed_at: number | null
  readonly attempt_count: number
  readonly failure_count: number
  readonly failed_at: number | null
  readonly claim_expires_at: number | null
}

/** Numbers that look random and are the same every time. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((state / 4_294_967_296) * below)
  }
}

/** The rules of the states, written down a second time and plainly. */
function stateOf(row: Row, clearIndex: number, now: number): string {
  if (clearIndex > 0 && row.idx === clearIndex) return 'marker'
  if (row.idx < clearIndex && row.event_type === 'a2.session.cleared') return 'marker'
  if (row.idx < clearIndex) return 'cleared'
  if (row.processed_at !== null && row.failed_at !== null) return 'skipped'
  if (row.processed_at !== null) return row.attempt_count > 0 ? 'processed' : 'settled'
  if (row.failed_at !== null) return 'dead'
  if (row.claim_expires_at !== null) return now < row.claim_expires_at ? 'running' : 'expired'
  if (row.lane_ready === 0) return 'blocked'
  return row.failure_count > 0 ? 'retrying' : 'ready'
}

const WORK = ['ready', 'blocked', 'running', 'expired', 'retrying', 'dead'] as const

function plainly(path: string, now: number) {
  const database = new Database(path, { readonly: true })
  const rows = database.prepare<[], Row>('select * from a2_events order by session_id, idx').all()
  const clears = new Map(
    database
      .prepare<[], { session_id: string; clear_index: number }>('select * from a2_clears')
      .all()
      .map((row) => [row.session_id, row.clear_index]),
  )
  database.close()
  const sessions = new Map<string, Row[]>()
  for (const row of rows)
    sessions.set(row.session_id, [...(sessions.get(row.session_id) ?? []), row])
  return [...sessions].map(([id, all]) => {
    const clearIndex = clears.get(id) ?? 0
    const states = all.map((row) => stateOf(row, clearIndex, now))
    const work = Object.fromEntries(
      WORK.map((state) => [state, states.filter((one) => one === state).length]),
    )
    const blockedBy = all.map((row, n) => {
      if (states[n] !== 'blocked') return null
      const first = all.find(
        (other) => other.idx > clearIndex && other.processed_at === null && other.lane === row.lane,
      )
      return first !== undefined && first.idx < row.idx ? first.idx : null
    })
    const dead = all.flatMap(({ idx }, n) => (states[n] === 'dead' ? [`${id}#${idx}`] : []))
    return {
      id,
      clearIndex,
      head: all.at(-1)?.idx,
      indexes: all.map(({ idx }) => idx),
      states,
      blockedBy,
      work,
      dead,
    }
  })
}

/** The same, as the inspector answers it. */
async function asShown(client: Client) {
  const view = await viewAll(client, { sort: 'id', direction: 'asc' })
  const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
  const letters = await client.deadLetters.view({ text: '' })
  const dead = await client.deadLetters.rows({ viewId: letters.viewId, offset: 0, limit: 200 })
  const sessions = await Promise.all(
    rows.map(async (row) => {
      const sessionId = row?.id ?? ''
      const events = await client.events.range({ sessionId, from: 1, to: 500 })
      const { summary, lifetimes } = await client.sessions.get({ sessionId })
      const stored = lifetimes.reduce((sum, one) => sum + one.stored, 0)
      const markers = events.filter(({ isMarker }) => isMarker).length
      expect(stored + markers).toBe(events.length)
      return {
        id: sessionId,
        clearIndex: summary.clearIndex,
        head: summary.head,
        indexes: events.map(({ index }) => index),
        states: events.map(({ state }) => state),
        blockedBy: events.map(({ blockedBy }) => blockedBy),
        work: summary.work,
        dead: dead
          .filter((one) => one.sessionId === sessionId)
          .map(({ index }) => `${sessionId}#${index}`)
          .toSorted((a, b) => Number(a.split('#')[1]) - Number(b.split('#')[1])),
      }
    }),
  )
  return sessions
}

async function step(store: Store, random: (below: number) => number): Promise<void> {
  const sessionId = `s${random(4)}`
  const lanes = [null, 'a', 'b'] as const
  const choice = random(10)
  if (choice < 4) {
    const events = Array.from({ length: 1 + random(3) }, () => ({
      type: `t${random(3)}`,
      lane: lanes[random(3)] ?? null,
      settled: random(5) === 0,
    }))
    await store.append(sessionId, events)
  } else if (choice < 8) {
    const answer = await store.claimPending({ sessionId, holder: 'w', ttlMs: 1 + random(2000) })
    if (answer.outcome !== 'claimed') return
    for (const { index, attemptCount } of answer.events) {
      const claim = { sessionId, index, attempt: attemptCount }
      const end = random(4)
      if (end === 0) await store.failAttempt({ ...claim, error: 'no', maxFailures: 1 + random(2) })
      if (end === 1) await store.completeAttempt({ ...claim, events: [] })
    }
  } else if (choice === 8) {
    const [letter] = await store.deadLetters(sessionId)
    if (letter === undefined) return
    await store.redrive({
      sessionId,
      index: letter.index,
      action: random(2) === 0 ? 'skip' : 'retry',
    })
  } else if (random(3) === 0) {
    await store.clear({ sessionId })
  } else {
    await store.reclaim(sessionId)
  }
}

const nameOf = ({ sessionId, index }: { sessionId: string; index: number }): string =>
  `${sessionId}#${index}`

describe('whatever an app does', () => {
  it.each([
    [1, false],
    [2, true],
    [3, false],
  ])(
    'is shown as it is stored (%i, without our indexes: %s)',
    async (seed, isBare) => {
      const path = join(makeFolder(), 'life.db')
      let now = 1_000_000
      const store = sqlite({ path, clock: { now: () => new Date(now) } })
      onTestFinished(() => store.close())
      await store.append('s0', [{ type: 'first' }])
      if (isBare) {
        const database = new Database(path)
        database.exec('drop index a2_events_pending; drop index a2_events_lane')
        database.close()
      }
      const random = makeRandom(seed)
      const { client } = open(path, { clock: () => now })
      const { events } = await listen(client)
      const seen = new Set<string>(['s0#1'])
      for (let round = 0; round < 4; round += 1) {
        for (let n = 0; n < 50; n += 1) {
          now += random(500)
          await step(store, random)
        }
        const wanted = plainly(path, now)
        const shown = await until(async () => {
          const answer = await asShown(client)
          return JSON.stringify(answer) === JSON.stringify(wanted) ? answer : null
        }, `the state of round ${round}`).catch(() => asShown(client))
        expect(shown).toEqual(wanted)
        for (const { id, indexes } of wanted) {
          for (const index of indexes) seen.add(nameOf({ sessionId: id, index }))
        }
        await until(() => {
          const heard = new Set(['s0#1', ...events().map(nameOf)])
          return [...seen].every((name) => heard.has(name))
        }, 'every event heard that stayed')
      }
      // What was appended and reclaimed between two looks is never heard; all else is heard once, in order.
      const heard = new Map<string, number>()
      for (const { sessionId, index } of events()) {
        expect(index).toBeGreaterThan(heard.get(sessionId) ?? 0)
        heard.set(sessionId, index)
      }
    },
    40_000,
  )
})
