import type { Bench } from '../bench-run.ts'
import { startWriter, type WriterReport } from '../children/start-writer.ts'
import type { RunningApp } from '../electron/run-app.ts'
import { startSettledApp, untilSettled } from '../electron/settled.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { check, compare, compareFixed, medianOf, quantileOf } from '../measure/outcome.ts'
import { roundRobin } from '../measure/rounds.ts'
import { biggestOf } from './pages.ts'

const SECONDS = 4
/** What changes is looked at so long after it was noticed, so that many changes are one look. */
const WINDOW_MS = 16
const TAIL_COMMITS_PER_SECOND = 100
const LONG_FRAME_MS = 25

const ONE_EACH = {
  eventsPerCommit: 1,
  sessionIds: [1, 2, 3, 4, 5, 6, 7].map((n) => `bench-live-${n}`),
} as const

/** What the writer committed and what the window was told of it. */
async function writeAndListen(
  app: RunningApp,
  path: string,
  rate: { commitsPerSecond: number; seconds: number },
) {
  const writer = await startWriter({ path, ...rate, ...ONE_EACH, hasTimes: true })
  await app.inPage('listen')
  const report = await writer.write()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return { report, heard: await app.inPage('stopListening') }
}

function latencies(report: WriterReport, heard: readonly (readonly [string, number])[]): number[] {
  const committedAt = new Map(report.times)
  return heard.map(([key, at]) => Math.max(0, at - (committedAt.get(key) ?? Number.NaN)))
}

export const tailLatency = defineGoal({
  title: 'From a commit to the window',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    median: { name: 'commit until told, median', floor: 'the window of 16 ms', limit: 1.5 },
    p99: { name: 'commit until told, p99', floor: 'the window of 16 ms', limit: 2.5 },
    once: { name: 'every event told once', floor: '', limit: null },
  },
  async measure(bench) {
    const path = bench.writableCopy()
    const app = await startSettledApp(bench, path)
    const p99: number[] = []
    let wrong = 0
    let events = 0
    const { median } = await roundRobin({
      median: async () => {
        const rate = { commitsPerSecond: TAIL_COMMITS_PER_SECOND, seconds: SECONDS }
        const { report, heard } = await writeAndListen(app, path, rate)
        wrong += countWrong(report, heard)
        events += report.events
        const took = latencies(report, heard)
        p99.push(quantileOf(took, 0.99))
        return medianOf(took)
      },
    })
    await app.close()
    return {
      median: compareFixed(median, WINDOW_MS),
      p99: compareFixed(p99.slice(1), WINDOW_MS),
      once: check(wrong === 0, `${events} events, ${wrong} missed or doubled`),
    }
  },
})

/** Events that were not told, or told more than once. */
function countWrong(report: WriterReport, heard: readonly (readonly [string, number])[]): number {
  const times = new Map<string, number>()
  for (const [key] of heard) times.set(key, (times.get(key) ?? 0) + 1)
  return report.times.filter(([key]) => times.get(key) !== 1).length
}

async function framesWhileWriting(
  app: RunningApp,
  path: string,
  sessionId: string,
  rate: { commitsPerSecond: number; eventsPerCommit: number },
): Promise<number[]> {
  const writer = await startWriter({
    path,
    ...rate,
    seconds: SECONDS + 1,
    sessionIds: [sessionId],
    hasTimes: false,
  })
  const written = writer.write()
  const gaps = await app.inPage('frameGaps', SECONDS * 1_000)
  await written
  return gaps
}

function countLong(gaps: readonly number[]): number {
  return gaps.filter((gap) => gap > LONG_FRAME_MS).length
}

async function openBiggestSession(bench: Bench, app: RunningApp): Promise<string> {
  const { sessionId } = biggestOf(bench.size)
  const address = new URL(app.page.url())
  address.search = `?${new URLSearchParams({ s: sessionId })}`
  await app.page.goto(address.href)
  await app.page.getByRole('grid', { name: 'Events, newest first' }).waitFor()
  return sessionId
}

export const frames = defineGoal({
  title: 'The window keeps drawing while events come in',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    slow: { name: 'frame gap at 1,000 events/s, p99', floor: 'idle', limit: 1.1 },
    fast: { name: 'frame gap at 10,000 events/s, p99', floor: 'idle', limit: 1.1 },
    long: { name: 'no frame gap above 25 ms', floor: '', limit: null },
  },
  async measure(bench) {
    const path = bench.writableCopy()
    const app = await startSettledApp(bench, path)
    const sessionId = await openBiggestSession(bench, app)
    const gaps: Record<'idle' | 'slow' | 'fast', number[]> = { idle: [], slow: [], fast: [] }
    const turn =
      (name: 'slow' | 'fast', commitsPerSecond: number, eventsPerCommit: number) =>
      async (): Promise<number> => {
        const rate = { commitsPerSecond, eventsPerCommit }
        const found = await framesWhileWriting(app, path, sessionId, rate)
        gaps[name].push(...found)
        return quantileOf(found, 0.99)
      }
    const found = await roundRobin({
      idle: async () => {
        const idle = await app.inPage('frameGaps', SECONDS * 1_000)
        gaps.idle.push(...idle)
        return quantileOf(idle, 0.99)
      },
      slow: turn('slow', 100, 10),
      fast: turn('fast', 200, 50),
    })
    await app.close()
    const all = [...gaps.slow, ...gaps.fast]
    const long = countLong(all)
    return {
      slow: compare(found.slow, found.idle),
      fast: compare(found.fast, found.idle),
      long: check(
        long === 0,
        `${long} of ${all.length}, the longest ${Math.max(...all).toFixed(1)} ms; idle ${countLong(gaps.idle)} of ${gaps.idle.length}`,
      ),
    }
  },
})

const BUSY_COMMITS_PER_SECOND = 1_000
const NOWHERE = 'zzz-nowhere-to-be-found'

export const writerInPeace = defineGoal({
  title: 'A writer at 1,000 commits/s beside a tail and a background scan',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    wal: { name: 'the -wal at its largest', floor: 'nobody reads', limit: 2 },
    commit: { name: 'commit, p99', floor: 'nobody reads', limit: 4 },
    once: { name: 'every event told once', floor: '', limit: null },
  },
  async measure(bench) {
    const path = bench.writableCopy()
    const app = await startSettledApp(bench, path)
    const address = app.page.url()
    const rate = { commitsPerSecond: BUSY_COMMITS_PER_SECOND, seconds: SECONDS }
    const commit: Record<'alone' | 'watched', number[]> = { alone: [], watched: [] }
    let wrong = 0
    let events = 0
    const megabytes = (name: 'alone' | 'watched', report: WriterReport): number => {
      commit[name].push(report.commitP99Ms)
      return report.walBytes / 1_048_576
    }
    const found = await roundRobin({
      alone: async () => {
        // The start screen: nothing of the file is asked for or listened to any more.
        await app.page.goto(new URL('/', address).href)
        const writer = await startWriter({ path, ...rate, ...ONE_EACH, hasTimes: false })
        return megabytes('alone', await writer.write())
      },
      watched: async () => {
        await app.page.goto(address)
        await untilSettled(app)
        await app.inPage('searchUntilStopped', NOWHERE)
        const { report, heard } = await writeAndListen(app, path, rate)
        await app.inPage('stopSearching')
        wrong += countWrong(report, heard)
        events += report.events
        return megabytes('watched', report)
      },
    })
    await app.close()
    return {
      wal: compare(found.watched, found.alone, 'MB'),
      commit: compare(commit.watched.slice(1), commit.alone.slice(1)),
      once: check(wrong === 0, `${events} events, ${wrong} missed or doubled`),
    }
  },
})
