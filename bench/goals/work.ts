import { SLICE_MS } from '../../src/inspector/pace.ts'
import type { Reader } from '../../src/inspector/reader.ts'
import { BOTH_SIZES, defineGoal, SMALL_ONLY } from '../goal.ts'
import { compare, compareFixed, check } from '../measure/outcome.ts'
import { roundRobin, timed } from '../measure/rounds.ts'
import { earlyCountsOf, openClient, openReader, workIndexOf } from './inspectors.ts'
import { rawSql } from './raw-sql.ts'

const ignore = (): void => {}
const SCREENFUL = 50

/** How long a whole pass takes, and its longest slice: between two yields nobody else gets an answer. */
async function pass(reader: Reader): Promise<{ tookMs: number; longestMs: number }> {
  let longestMs = 0
  const unfinishedRange: Reader['unfinishedRange'] = async (range) => {
    const startedAt = performance.now()
    const rows = await reader.unfinishedRange(range)
    longestMs = Math.max(longestMs, performance.now() - startedAt)
    return rows
  }
  const watched: Reader = Object.create(reader, { unfinishedRange: { value: unfinishedRange } })
  const startedAt = performance.now()
  await workIndexOf(watched).bringUpToDate(ignore)
  return { tookMs: performance.now() - startedAt, longestMs }
}

export const countingPass = defineGoal({
  title: 'Unfinished events and dead letters without an index',
  sizes: BOTH_SIZES,
  lines: {
    pass: { name: 'counting pass, in slices', floor: 'one scan that counts', limit: 1.5 },
    slice: { name: 'its longest slice', floor: 'the 12 ms aimed at', limit: 4 },
  },
  async measure(bench) {
    const path = bench.file()
    const scan = bench.raw(path).prepare(rawSql.unfinishedScan)
    const reader = openReader(path)
    const longest: number[] = []
    const found = await roundRobin({
      floor: timed(() => scan.get()),
      value: async () => {
        const { tookMs, longestMs } = await pass(reader)
        longest.push(longestMs)
        return tookMs
      },
    })
    reader.close()
    return {
      pass: compare(found.value, found.floor),
      slice: compareFixed(longest.slice(1), SLICE_MS),
    }
  },
})

export const firstDeadLetters = defineGoal({
  title: 'The first dead letters',
  sizes: BOTH_SIZES,
  lines: {
    first: { name: 'first screen of dead letters', floor: 'one scan that counts', limit: 0.1 },
  },
  async measure(bench) {
    const path = bench.file()
    const scan = bench.raw(path).prepare(rawSql.unfinishedScan)
    const found = await roundRobin({
      floor: timed(() => scan.get()),
      value: async () => {
        const { client, close } = openClient(bench, path)
        const startedAt = performance.now()
        let view = await client.deadLetters.view({ text: '' })
        while (view.total < SCREENFUL) view = await client.deadLetters.view({ text: '' })
        await client.deadLetters.rows({ viewId: view.viewId, offset: 0, limit: SCREENFUL })
        const tookMs = performance.now() - startedAt
        await close()
        return tookMs
      },
    })
    return { first: compare(found.value, found.floor) }
  },
})

const SCAN = 'one scan that counts'

export const countingByIndex = defineGoal({
  title: 'Unfinished events and dead letters through partial indexes',
  sizes: SMALL_ONLY,
  lines: {
    both: { name: 'pending and dead, indexes on both', floor: SCAN, limit: 0.1 },
    own: { name: "unfinished, the store's index", floor: SCAN, limit: null },
    states: { name: "their states, the store's index", floor: SCAN, limit: null },
    plan: { name: 'no plan walks the key', floor: '', limit: null },
  },
  async measure(bench) {
    const path = bench.file('covering')
    const scan = bench.raw(path).prepare(rawSql.unfinishedScan)
    const both = openReader(path)
    const own = openReader(bench.file('indexed'))
    const found = await roundRobin({
      floor: timed(() => scan.get()),
      both: timed(() => earlyCountsOf(both).count()),
      own: timed(() => earlyCountsOf(own).count()),
      states: timed(() => workIndexOf(own).bringUpToDate(ignore)),
    })
    const kinds = [await both.indexCounts?.kind(), await own.indexCounts?.kind()]
    const isByIndex = kinds[0]?.by === 'pending' && kinds[1]?.by === 'unfinished'
    both.close()
    own.close()
    return {
      both: compare(found.both, found.floor),
      own: compare(found.own, found.floor),
      states: compare(found.states, found.floor),
      plan: check(isByIndex, isByIndex ? 'partial indexes only' : 'an index is not used'),
    }
  },
})

export const recheck = defineGoal({
  title: 'Look again at what is known to be unfinished',
  sizes: BOTH_SIZES,
  lines: {
    again: { name: 'all known rows again', floor: 'one scan that counts', limit: 0.4 },
  },
  async measure(bench) {
    const path = bench.file()
    const scan = bench.raw(path).prepare(rawSql.unfinishedScan)
    const reader = openReader(path)
    const work = workIndexOf(reader)
    await work.bringUpToDate(ignore)
    const found = await roundRobin({
      floor: timed(() => scan.get()),
      value: timed(() => work.bringUpToDate(ignore)),
    })
    reader.close()
    return { again: compare(found.value, found.floor) }
  },
})
