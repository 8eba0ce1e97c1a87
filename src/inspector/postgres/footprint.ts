import type { PostgresFootprint, ServerHoldings } from '../../model/footprint.ts'
import type { Asker } from './asker.ts'
import { holdings } from './facts.ts'

/** pg_locks stops those who take locks for a moment: it is looked at rarely. */
const LOOK_EVERY_MS = 10_000

/** What is taken of a server: connections by our own count, locks as the server tells them. */
export function serverFootprint(asker: Asker): () => Omit<PostgresFootprint, 'refreshMs'> {
  let known: ServerHoldings | null = null
  let lookAt = Number.NEGATIVE_INFINITY
  const look = async (): Promise<void> => {
    lookAt = performance.now() + LOOK_EVERY_MS
    try {
      known = { ...(await asker.ask(holdings, 'tail')), at: Date.now() }
    } catch {
      // Why it cannot be asked is told where a screen asks.
      known = null
    }
  }
  return () => {
    const { connections, isIdle } = asker.server.usage()
    if (connections === 0) {
      known = null
      lookAt = Number.NEGATIVE_INFINITY
    }
    if (isIdle && performance.now() >= lookAt) void look()
    const { since, rowsRead, lastQuery } = asker.meter
    return { dialect: 'postgres', since, rowsRead, lastQuery, connections, holdings: known }
  }
}
