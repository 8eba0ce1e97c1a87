import { setTimeout as sleep } from 'node:timers/promises'

import type { Store } from '../store/store.ts'
import type { Random } from './random.ts'
import { orderPlaced, userMessage } from './scenario.ts'
import { CHATS, ORDERS, snapshot } from './seed.ts'
import { workOnce } from './worker.ts'

const SESSIONS = [...CHATS, ...ORDERS]

/** Runs people and workers against the store until the signal ends it: new messages, work, failures, now and then a clear. */
export async function runLiveApp(store: Store, random: Random, signal: AbortSignal): Promise<void> {
  const worker = (holder: string, sessions: readonly string[]): Promise<void> =>
    untilAborted(signal, async () => {
      for (const session of sessions) {
        await workOnce(store, session, {
          holder,
          leaseMs: 12_000,
          random,
          pass: async (ms) => await sleep(ms, undefined, { signal }),
        })
      }
      await sleep(120, undefined, { signal })
    })
  await Promise.all([
    people(store, random, signal),
    worker(
      'worker-1',
      SESSIONS.filter((_, n) => n % 2 === 0),
    ),
    worker(
      'worker-2',
      SESSIONS.filter((_, n) => n % 2 === 1),
    ),
    presence(store, random, signal),
  ])
}

async function people(store: Store, random: Random, signal: AbortSignal): Promise<void> {
  let turn = 0
  await untilAborted(signal, async () => {
    await sleep(random.between(700, 2600), undefined, { signal })
    turn += 1
    if (random.chance(0.25)) {
      await store.append(random.pick([ORDERS[0] ?? 'order', ...ORDERS]), [orderPlaced(random)])
      return
    }
    const chat = random.pick(CHATS)
    const { hasPending } = await store.append(chat, [userMessage(random)])
    if (turn % 4 === 0) await snapshot(store, chat, turn)
    // A chat is cleared only when nothing is open, as an app would do it at the end of a conversation.
    if (turn % 25 === 0 && !hasPending) await store.clear({ sessionId: chat })
    if (turn % 40 === 0) await store.reclaim(chat)
  })
}

async function presence(store: Store, random: Random, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, async () => {
    await store.setPresence({
      ns: CHATS[0],
      participant: 'customer:c-1187',
      data: { typing: random.chance(0.5) },
      ttlMs: 8000,
    })
    await sleep(5000, undefined, { signal })
  })
}

async function untilAborted(signal: AbortSignal, step: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await step()
    } catch (error) {
      if (signal.aborted) return
      // Somebody cleared a session under a worker, or holds the write lock: the next round sees the new state.
      if (!(error instanceof Error)) throw error
      await sleep(250)
    }
  }
}
