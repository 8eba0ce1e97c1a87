import type { Store } from '../store/store.ts'
import type { Random } from './random.ts'
import { importedRows, orderChanged, orderPlaced, userMessage } from './scenario.ts'
import { workOnce } from './worker.ts'

/** A clock that the seed moves by hand, so that history lies in the past. */
export interface SeedClock {
  now(): Date
  advance(ms: number): void
}

const HOUR_MS = 3_600_000

export const CHATS = [
  'chat:7f3a91c2',
  'chat:b1d07e44',
  'chat:90ce22aa',
  'chat:サポート-東京',
] as const
export const ORDERS = Array.from(
  { length: 12 },
  (_, n) => `order:2026-${String(418 + n).padStart(5, '0')}`,
)

/** Writes about a day of history: chats with several lifetimes, orders with dead letters, a long import. */
export async function seedSample(store: Store, clock: SeedClock, random: Random): Promise<void> {
  await seedImport(store, clock, random)
  for (const session of CHATS) await seedChat(store, session, clock, random)
  for (const session of ORDERS) {
    clock.advance(random.between(60_000, HOUR_MS))
    await store.append(session, [orderPlaced(random)])
    await drain(store, session, clock, random, 12)
    await seedWaiting(store, session, clock, random)
  }
  await seedStuckAgent(store, clock, random)
  await seedPresence(store)
}

/** What a dead letter holds up: the customer wrote again, and that waits in the lane it heads. */
async function seedWaiting(
  store: Store,
  session: string,
  clock: SeedClock,
  random: Random,
): Promise<void> {
  const dead = await store.deadLetters(session)
  if (!dead.some(({ lane }) => lane === 'turn')) return
  const count = random.between(1, 3)
  for (let written = 0; written < count; written += 1) {
    clock.advance(random.between(20_000, 300_000))
    await store.append(session, [orderChanged(random)])
  }
}

/** Why is this session stuck? Its worker died: one claim ran out, three events wait behind it, old states are still pinned. */
async function seedStuckAgent(store: Store, clock: SeedClock, random: Random): Promise<void> {
  const session = 'agent:research/планы'
  await store.append(session, [
    {
      type: 'goal.set',
      payload: { goal: 'Compare 12 heat pump vendors', budget: 40 },
      settled: true,
    },
  ])
  for (let page = 0; page < 4; page += 1) {
    clock.advance(random.between(2000, 9000))
    await store.append(session, [
      { type: 'search.requested', lane: 'web', payload: { q: 'heat pump cop', page } },
    ])
    await snapshot(store, session, page)
  }
  await store.claimPending({ sessionId: session, holder: 'worker-us-9', ttlMs: 30_000 })
}

async function seedImport(store: Store, clock: SeedClock, random: Random): Promise<void> {
  for (let row = 1; row <= 1200; row += 200) {
    await store.append('import:csv-customers', importedRows(random, row, 200))
    clock.advance(2500)
  }
}

async function seedChat(
  store: Store,
  session: string,
  clock: SeedClock,
  random: Random,
): Promise<void> {
  const lifetimes = random.between(2, 4)
  for (let lifetime = 1; lifetime <= lifetimes; lifetime += 1) {
    const turns = random.between(5, 12)
    for (let turn = 1; turn <= turns; turn += 1) {
      clock.advance(random.between(10_000, 240_000))
      await store.append(session, [userMessage(random)])
      await drain(store, session, clock, random, 6)
      await snapshot(store, session, turn)
    }
    if (lifetime < lifetimes) {
      clock.advance(random.between(HOUR_MS / 4, HOUR_MS))
      await store.clear({ sessionId: session })
      if (lifetime === 1 && random.chance(0.6)) await store.reclaim(session)
    }
  }
}

/** Keeps the reducer's state at the head, and pins it for work that is still open. */
export async function snapshot(store: Store, session: string, turns: number): Promise<void> {
  const stored = await store.read(session)
  const last = stored.at(-1)
  if (last === undefined) return
  const open = stored.filter((event) => event.processedAt === null && event.failedAt === null)
  await store.putSnapshots(session, 'conversation', [
    {
      index: last.index,
      state: { turns, open: open.map((event) => event.index), lastType: last.type },
      pinEventIndexes: open.map((event) => event.index),
    },
  ])
}

async function seedPresence(store: Store): Promise<void> {
  await store.setPresence({
    ns: CHATS[0],
    participant: 'customer:c-1187',
    data: { typing: true },
    ttlMs: 30_000,
  })
  await store.setPresence({
    ns: 'dashboard',
    participant: 'ops-1',
    data: { page: '/dead-letters' },
    ttlMs: 86_400_000,
  })
}

async function drain(
  store: Store,
  session: string,
  clock: SeedClock,
  random: Random,
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const didWork = await workOnce(store, session, {
      holder: 'worker-1',
      leaseMs: 30_000,
      random,
      pass: async (ms) => clock.advance(ms),
    })
    if (!didWork) return
  }
}
