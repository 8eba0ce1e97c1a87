import { setTimeout as sleep } from 'node:timers/promises'

import type { Bench } from '../bench-run.ts'
import { startWriter } from '../children/start-writer.ts'
import { startSettledApp } from '../electron/settled.ts'
import { biggestOf } from '../goals/pages.ts'
import { browse } from './browse.ts'
import { makeSampler, type Sample } from './sample.ts'

const EVERY_MS = 5_000

/** Browses a file that is written to, for so long, and samples what every process holds. */
export async function measureMemory(bench: Bench, minutes: number): Promise<Sample[]> {
  const path = bench.writableCopy()
  const app = await startSettledApp(bench, path)
  const writer = await startWriter({
    path,
    commitsPerSecond: 50,
    eventsPerCommit: 2,
    seconds: minutes * 60,
    sessionIds: [biggestOf(bench.size).sessionId, 'bench-live-1', 'bench-live-2'],
    hasTimes: false,
  })
  const devtools = await app.page.context().newCDPSession(app.page)
  const sample = makeSampler(app, devtools)
  const samples: Sample[] = []
  const written = writer.write()
  const until = performance.now() + minutes * 60_000
  const sampling = (async () => {
    while (performance.now() < until) {
      samples.push(await sample())
      await sleep(EVERY_MS)
    }
  })()
  for (let round = 0; performance.now() < until; round += 1) {
    bench.log(`round ${round + 1}, ${Math.round((until - performance.now()) / 1000)} s left`)
    await browse(app.page, round)
  }
  await Promise.all([sampling, written])
  await app.close()
  return samples
}
