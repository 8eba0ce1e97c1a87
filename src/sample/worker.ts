import { randomUUID } from 'node:crypto'

import type { Store, StoredEvent } from '../store/store.ts'
import type { Random } from './random.ts'
import type { Reaction } from './scenario.ts'
import { MAX_FAILURES, react } from './scenario.ts'

export interface WorkerOptions {
  readonly holder: string
  readonly leaseMs: number
  readonly random: Random
  /** Lets the handler's time pass: really, or on a simulated clock. */
  readonly pass: (ms: number) => Promise<void>
}

/** Claims what is ready in one session and handles it. Answers whether there was anything to do. */
export async function workOnce(
  store: Store,
  sessionId: string,
  options: WorkerOptions,
): Promise<boolean> {
  const claimed = await store.claimPending({
    sessionId,
    holder: options.holder,
    ttlMs: options.leaseMs,
  })
  if (claimed.outcome !== 'claimed') return false
  for (const event of claimed.events) {
    const reaction = react(event, options.random)
    await options.pass(reaction.tookMs)
    await settle(store, event, reaction)
  }
  return true
}

async function settle(store: Store, event: StoredEvent, reaction: Reaction): Promise<void> {
  const attempt = { sessionId: event.sessionId, index: event.index, attempt: event.attemptCount }
  switch (reaction.end.kind) {
    case 'done':
      await store.completeAttempt({
        ...attempt,
        events: reaction.end.events.map((child) => ({ ...child, id: `evt_${randomUUID()}` })),
      })
      return
    case 'fail':
      await store.failAttempt({ ...attempt, error: reaction.end.error, maxFailures: MAX_FAILURES })
      return
    case 'vanish':
      return
  }
}
