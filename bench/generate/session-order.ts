import type { Random } from '../../src/sample/random.ts'
import type { Spec } from './spec.ts'

/** Events of each session, the biggest first: Zipf's law, at least one each, as many as the spec says in all. */
export function sessionSizes({ events, sessions, biggest }: Spec): Uint32Array {
  const sizes = new Uint32Array(sessions).fill(1)
  sizes[0] = biggest
  const spare = events - biggest - (sessions - 1)
  let weights = 0
  for (let rank = 2; rank <= sessions; rank += 1) weights += 1 / rank
  let left = spare
  for (let rank = 2; rank <= sessions; rank += 1) {
    const share = Math.floor(spare / (rank * weights))
    sizes[rank - 1]! += share
    left -= share
  }
  for (let n = 0; left > 0; n += 1, left -= 1) sizes[1 + (n % (sessions - 1))]! += 1
  return sizes
}

/** Which session each event belongs to: every session's events lie scattered over the whole table. */
export function shuffledSessions(sizes: Uint32Array, random: Random): Uint32Array {
  const order = new Uint32Array(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  for (const [session, size] of sizes.entries()) {
    order.fill(session, at, at + size)
    at += size
  }
  for (let n = order.length - 1; n > 0; n -= 1) {
    const other = Math.floor(random.next() * (n + 1))
    const kept = order[n]!
    order[n] = order[other]!
    order[other] = kept
  }
  return order
}

const KINDS = ['chat', 'order', 'agent', 'import', 'support'] as const

/** Ids whose order in the database has nothing to do with their sizes. */
export function sessionIdOf(session: number): string {
  const scattered = Math.imul(session + 1, 0x9e3779b1) >>> 0
  return `${KINDS[session % KINDS.length] ?? 'chat'}:${scattered.toString(16).padStart(8, '0')}`
}
