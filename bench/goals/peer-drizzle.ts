import type { Bench } from '../bench-run.ts'
import {
  type DrizzleStudio,
  findDrizzleKit,
  startDrizzleStudio,
} from '../children/drizzle-studio.ts'
import { startSettledApp } from '../electron/settled.ts'
import { compare, medianOf, notMeasured, type Outcome } from '../measure/outcome.ts'
import { roundRobin } from '../measure/rounds.ts'
import { biggestOf } from './pages.ts'
import { inPlaceOf } from './peer-programs.ts'

const ROWS = 'select * from "a2_events" limit 100 offset 0'
const COUNT = 'select count(*) from "a2_events"'
const CALLS = 20

type Line = 'rows' | 'rowsAndCount'

/** Beside the server of Drizzle Studio, which is asked over HTTP as its page does. `copy`: the same file, for it alone. */
export async function compareWithDrizzle(
  bench: Bench,
  copy: () => string,
): Promise<Record<Line, Outcome>> {
  const program = findDrizzleKit()
  if (program === undefined) {
    return inPlaceOf(['rows', 'rowsAndCount'], notMeasured('drizzle-kit is not installed'))
  }
  const studio = await startDrizzleStudio(program, copy(), bench.folder('studio'))
  try {
    return await comparePages(bench, studio)
  } finally {
    await studio.close()
  }
}

async function comparePages(bench: Bench, studio: DrizzleStudio): Promise<Record<Line, Outcome>> {
  const app = await startSettledApp(bench, bench.file())
  const { sessionId } = biggestOf(bench.size)
  const wanted = { sessionId, from: 1, to: 100 }
  const found = await roundRobin({
    own: async () => medianOf(await app.inPage('timePages', wanted, CALLS)),
    rows: () => medianOfCalls(() => studio.ask(ROWS)),
    rowsAndCount: () => medianOfCalls(() => Promise.all([studio.ask(COUNT), studio.ask(ROWS)])),
  })
  await app.close()
  return {
    rows: compare(found.own, found.rows),
    rowsAndCount: compare(found.own, found.rowsAndCount),
  }
}

async function medianOfCalls(call: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < CALLS; n += 1) {
    const startedAt = performance.now()
    await call()
    took.push(performance.now() - startedAt)
  }
  return medianOf(took)
}
