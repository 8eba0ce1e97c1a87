import { createRouterClient } from '@orpc/server'

import { openInspector } from '../../src/inspector/open-inspector.ts'
import type { SearchScope } from '../../src/model/search.ts'
import { NEEDLE } from '../generate/spec.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare } from '../measure/outcome.ts'
import { roundRobin, timed } from '../measure/rounds.ts'
import type { Bench } from '../bench-run.ts'
import { rawSql } from './raw-sql.ts'

/** Searches a file to its end with an inspector that does nothing else. */
export async function searchAll(
  bench: Bench,
  path: string,
  scope: SearchScope = 'payload',
): Promise<{ tookMs: number; firstMs: number; hits: number }> {
  const inspector = openInspector({ path, dataFolder: bench.folder('data') })
  const client = createRouterClient(inspector.backgroundRouter)
  const startedAt = performance.now()
  const wanted = { text: NEEDLE, matchCase: false, sessionId: null, eventType: null, after: null }
  let firstMs = Number.NaN
  let hits = 0
  for await (const message of await client.search({ ...wanted, scope })) {
    if (message.kind !== 'step') continue
    if (hits === 0 && message.hits.length > 0) firstMs = performance.now() - startedAt
    hits += message.hits.length
  }
  const tookMs = performance.now() - startedAt
  await inspector.close()
  return { tookMs, firstMs, hits }
}

export const search = defineGoal({
  title: 'A word anywhere in the payloads',
  sizes: BOTH_SIZES,
  lines: {
    all: { name: 'search to the end', floor: 'one statement with like', limit: 1.3 },
    first: { name: 'the newest hit', floor: 'one statement with like', limit: 0.05 },
  },
  async measure(bench) {
    const path = bench.file()
    const like = bench.raw(path).prepare(rawSql.like)
    const pattern = `%${NEEDLE}%`
    const expected = like.all(pattern).length
    const first: number[] = []
    const found = await roundRobin({
      floor: timed(() => like.all(pattern)),
      value: async () => {
        const { tookMs, firstMs, hits } = await searchAll(bench, path)
        if (hits !== expected) throw new Error(`${hits} hits instead of ${expected}`)
        first.push(firstMs)
        return tookMs
      },
    })
    return {
      all: compare(found.value, found.floor),
      first: compare(first.slice(1), found.floor),
    }
  },
})
