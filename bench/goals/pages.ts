import type { Bench } from '../bench-run.ts'
import { SPECS, type Size } from '../generate/spec.ts'
import { sessionIdOf } from '../generate/session-order.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare, notMeasured } from '../measure/outcome.ts'
import { roundRobin, timed, type Turn } from '../measure/rounds.ts'
import { makeRandom } from '../../src/sample/random.ts'
import { type Client, openClient, openReader } from './inspectors.ts'

const PAGE = 100
const PAGES_A_ROUND = 20

/** The session with the most events, and its highest index. */
export function biggestOf(size: Size): { sessionId: string; head: number } {
  return { sessionId: sessionIdOf(0), head: SPECS[size].biggest }
}

function pageTurns(client: Client, size: Size): Record<'first' | 'end' | 'random', Turn> {
  const { sessionId, head } = biggestOf(size)
  const random = makeRandom(7)
  const page = (from: number) => client.events.range({ sessionId, from, to: from + PAGE - 1 })
  return {
    first: timed(() => page(1), PAGES_A_ROUND),
    end: timed(() => page(head - PAGE + 1), PAGES_A_ROUND),
    random: timed(() => page(random.between(1, head - PAGE)), PAGES_A_ROUND),
  }
}

export const tenTimesAsBig = defineGoal({
  title: 'Ten times the events',
  sizes: BOTH_SIZES,
  lines: {
    sessions: { name: 'first 50 sessions, 10M', floor: 'on 1M', limit: 1.5 },
    end: { name: 'jump to the end of the biggest session, 10M', floor: 'on 1M', limit: 2.5 },
    random: { name: 'a page anywhere in the biggest session, 10M', floor: 'on 1M', limit: 6 },
  },
  async measure(bench: Bench) {
    const [small, big] = [bench.existingFile('1m'), bench.existingFile('10m')]
    if (small === undefined || big === undefined) {
      const why = notMeasured('needs both files: run it with --size 1m and --size 10m once')
      return { sessions: why, end: why, random: why }
    }
    const [of, to] = [openClient(bench, big), openClient(bench, small)]
    const [value, floor] = [pageTurns(of.client, '10m'), pageTurns(to.client, '1m')]
    const [bigReader, smallReader] = [openReader(big), openReader(small)]
    const found = await roundRobin({
      sessions: timed(() => bigReader.sessionPage(null, 50), PAGES_A_ROUND),
      sessionsFloor: timed(() => smallReader.sessionPage(null, 50), PAGES_A_ROUND),
      end: value.end,
      endFloor: floor.end,
      random: value.random,
      randomFloor: floor.random,
    })
    for (const reader of [bigReader, smallReader]) reader.close()
    await of.close()
    await to.close()
    return {
      sessions: compare(found.sessions, found.sessionsFloor),
      end: compare(found.end, found.endFloor),
      random: compare(found.random, found.randomFloor),
    }
  },
})

export const jumpToTheEnd = defineGoal({
  title: 'The end of a session is as near as its beginning',
  sizes: BOTH_SIZES,
  lines: {
    end: { name: 'last 100 events of the biggest session', floor: 'its first 100', limit: 1.5 },
  },
  async measure(bench) {
    const { client, close } = openClient(bench, bench.file())
    const { first, end } = pageTurns(client, bench.size)
    const found = await roundRobin({ floor: first, value: end })
    await close()
    return { end: compare(found.value, found.floor) }
  },
})
