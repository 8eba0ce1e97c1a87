import { addFootprints, type Footprint } from '../model/footprint.ts'
import type { Reader } from './reader.ts'
import type { RemoteScans } from './scans/remote-scans.ts'
import type { Tail } from './tail.ts'

/** What this process takes of its database, and the one beside it where there is one. */
export function makeFootprint(options: {
  readonly reader: Reader
  readonly tail: Tail
  readonly remote: RemoteScans | undefined
}): () => Footprint {
  const { reader, tail, remote } = options
  return () => {
    const taken = reader.footprint()
    // A server that is away is not asked for changes, however often it was.
    const isAway = taken.dialect === 'postgres' && taken.connections === 0
    const own = { ...taken, refreshMs: isAway ? null : tail.refreshMs }
    const beside = remote?.footprint() ?? null
    return beside === null ? own : addFootprints(own, { ...beside, refreshMs: null })
  }
}
