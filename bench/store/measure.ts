import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findBinaries, startPostgres } from '../../test/support/postgres-server.ts'
import {
  bareSqlite,
  barePostgres,
  storeOnPostgres,
  storeOnSqlite,
  type Variant,
} from './variants.ts'

const OPERATIONS = ['append', 'claim', 'complete'] as const
const ROUNDS = 12
/** Short turns, so that what else the machine does meets both alike. */
const TURNS = 15
const SESSIONS_A_TURN = 10

type Rates = Record<(typeof OPERATIONS)[number], number[]>

/** Operations a second of each round. Both variants take turns in every round; the first one only warms up. */
async function measure(variants: readonly Variant[]): Promise<Rates[]> {
  const rates = variants.map((): Rates => ({ append: [], claim: [], complete: [] }))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const operation of OPERATIONS) {
      const spentMs = variants.map(() => 0)
      for (let turn = 0; turn < TURNS * variants.length; turn += 1) {
        const which = (turn + round) % variants.length
        const block = Math.floor(turn / variants.length)
        const from = performance.now()
        for (let n = 0; n < SESSIONS_A_TURN; n += 1)
          await variants[which]![operation](`session-${round}-${block}-${n}`)
        spentMs[which]! += performance.now() - from
      }
      if (round === 0) continue
      for (const [which, ms] of spentMs.entries())
        rates[which]![operation].push((TURNS * SESSIONS_A_TURN * 1_000) / ms)
    }
  }
  return rates
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function print(name: string, goal: number, [bare, store]: readonly Rates[]): void {
  for (const operation of OPERATIONS) {
    const [of, to] = [store![operation], bare![operation]]
    const ratios = of.map((rate, round) => rate / to[round]!)
    const spread = `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`
    console.log(
      [
        name.padEnd(12),
        operation.padEnd(9),
        `${Math.round(median(of))}/s`.padStart(9),
        `${Math.round(median(to))}/s`.padStart(9),
        median(ratios).toFixed(2).padStart(6),
        spread.padStart(14),
        `goal ${goal}`,
      ].join('  '),
    )
  }
}

async function measurePair(name: string, goal: number, bare: Variant, store: Variant) {
  try {
    print(name, goal, await measure([bare, store]))
  } finally {
    await bare.close()
    await store.close()
  }
}

console.log('database      operation      store       bare   ratio  min … max')
const folder = mkdtempSync(join(tmpdir(), 'a2-bench-'))
try {
  const [bare, store] = [join(folder, 'bare.db'), join(folder, 'store.db')]
  await measurePair('SQLite', 0.6, await bareSqlite(bare), await storeOnSqlite(store))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const binaries of findBinaries()) {
  const server = await startPostgres(binaries, { isDurable: true })
  const { connectionString } = server
  try {
    const bare = await barePostgres(connectionString, 'bare')
    await measurePair(server.name, 0.8, bare, await storeOnPostgres(connectionString, 'store'))
  } finally {
    await server.stop()
  }
}
