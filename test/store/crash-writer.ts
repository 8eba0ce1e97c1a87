import { writeSync } from 'node:fs'

import { openStore } from '../../src/store/open-store.ts'

/**
 * Writes without end and names on its standard output what was acknowledged, one line each; to be
 * killed at any moment. Arguments: where the store is, and a prefix for its ids.
 */
const [location = '', prefix = ''] = process.argv.slice(2)
const store = openStore(location)
const say = (line: string): void => void writeSync(1, `${line}\n`)

for (let round = 0; ; round += 1) {
  const sessionId = `s${round % 3}`
  const ids = [0, 1, 2].map((n) => `${prefix}-${round}-${n}`)
  const batch = ids.map((id) => ({ type: 'work', lane: 'l', id, payload: 'x'.repeat(200) }))
  for (const event of (await store.append(sessionId, batch)).events)
    say(`appended ${sessionId} ${event.index} ${event.id}`)
  const claim = await store.claimPending({ sessionId, holder: prefix, ttlMs: 1 })
  for (const event of claim.outcome === 'claimed' ? claim.events : []) {
    const child = { type: 'child', id: `${prefix}-${round}-child-${event.index}`, settled: true }
    const attempt = { sessionId, index: event.index, attempt: event.attemptCount }
    const answer = await store.completeAttempt({ ...attempt, events: [child] })
    if (answer.outcome === 'completed') say(`completed ${sessionId} ${event.index} ${child.id}`)
  }
  if (round % 40 === 39) {
    const { clearIndex } = await store.clear({ sessionId })
    say(`cleared ${sessionId} ${clearIndex} -`)
  }
  if (round % 10 === 9) await store.reclaim(sessionId)
}
