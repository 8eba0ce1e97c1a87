import { startSettledApp } from '../electron/settled.ts'
import type { RunningApp } from '../electron/run-app.ts'
import { NEEDLE } from '../generate/spec.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare, medianOf, quantileOf } from '../measure/outcome.ts'
import { roundRobin } from '../measure/rounds.ts'
import { openClient } from './inspectors.ts'
import { biggestOf } from './pages.ts'
import type { Bench } from '../bench-run.ts'

const CALLS = 100
const BLOCKED_MS = 400
const CALLING_MS = 1_500

function middlePage(bench: Bench) {
  const { sessionId, head } = biggestOf(bench.size)
  const from = Math.floor(head / 2)
  return { sessionId, from, to: from + 99 }
}

export const pageEndToEnd = defineGoal({
  title: 'A page of events on its way into the window',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    process: { name: 'page, in the window', floor: 'the same without a window', limit: 4 },
    invoke: { name: 'page, in the window', floor: 'the same by ipcRenderer.invoke', limit: 0.75 },
  },
  async measure(bench) {
    const wanted = middlePage(bench)
    const electron = await bench.electron()
    const { client, close } = openClient(bench, bench.file())
    const app = await startSettledApp(bench, bench.file())
    const lab = await electron.startLab({ dataFolder: bench.folder('lab'), path: bench.file() })
    const inProcess = async (): Promise<number> => {
      const took: number[] = []
      for (let n = 0; n < CALLS; n += 1) {
        const startedAt = performance.now()
        await client.events.range(wanted)
        took.push(performance.now() - startedAt)
      }
      return medianOf(took)
    }
    const found = await roundRobin({
      process: inProcess,
      invoke: async () => medianOf(await lab.inPage('timeInvokedPages', wanted, CALLS)),
      port: async () => medianOf(await app.inPage('timePages', wanted, CALLS)),
    })
    await Promise.all([app.close(), lab.close(), close()])
    return {
      process: compare(found.port, found.process),
      invoke: compare(found.port, found.invoke),
    }
  },
})

export const pageWhileSearching = defineGoal({
  title: 'A page of events while the background searches',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    median: { name: 'page while a search runs, median', floor: 'while nothing runs', limit: 1.5 },
    p99: { name: 'page while a search runs, p99', floor: 'while nothing runs', limit: 2 },
  },
  async measure(bench) {
    const app = await startSettledApp(bench, bench.file())
    const ask = async (): Promise<number[]> =>
      (await app.inPage('callsFor', middlePage(bench), { forMs: CALLING_MS, pauseMs: 5 })).map(
        ({ tookMs }) => tookMs,
      )
    const p99: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] }
    const found = await roundRobin({
      idle: async () => {
        const took = await ask()
        p99.idle.push(quantileOf(took, 0.99))
        return medianOf(took)
      },
      busy: async () => {
        await app.inPage('searchUntilStopped', NEEDLE)
        const took = await ask()
        await app.inPage('stopSearching')
        p99.busy.push(quantileOf(took, 0.99))
        return medianOf(took)
      },
    })
    await app.close()
    return {
      median: compare(found.busy, found.idle),
      p99: compare(p99.busy.slice(1), p99.idle.slice(1)),
    }
  },
})

/** Calls made while the main process did nothing but turn in a circle, and all others. */
async function callsAroundABlock(app: RunningApp, bench: Bench) {
  const calling = app.inPage('callsFor', middlePage(bench), { forMs: CALLING_MS, pauseMs: 10 })
  const [from, to] = await app.electron.evaluate(async (_, blockedMs) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const begin = Date.now()
    while (Date.now() < begin + blockedMs);
    return [begin, Date.now()] as const
  }, BLOCKED_MS)
  const calls = await calling
  const isWithin = (at: number): boolean => at > from && at < to
  const tookMs = (isBlocked: boolean): number[] =>
    calls.filter(({ at }) => isWithin(at) === isBlocked).map((call) => call.tookMs)
  return { blocked: medianOf(tookMs(true)), idle: medianOf(tookMs(false)) }
}

export const pageWhileMainIsBlocked = defineGoal({
  title: 'A page of events while the main process is blocked',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    blocked: { name: 'page while main is blocked for 400 ms', floor: 'while it is not', limit: 5 },
  },
  async measure(bench) {
    const app = await startSettledApp(bench, bench.file())
    const idle: number[] = []
    const { blocked } = await roundRobin({
      blocked: async () => {
        const found = await callsAroundABlock(app, bench)
        idle.push(found.idle)
        return found.blocked
      },
    })
    await app.close()
    return { blocked: compare(blocked, idle.slice(1)) }
  },
})
