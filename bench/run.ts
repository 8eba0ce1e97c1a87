import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import { prepareElectron } from '../scripts/test-means.ts'
import { openBench } from './bench-run.ts'
import type { Goal } from './goal.ts'
import { GOALS } from './goals.ts'
import { measureMemory } from './memory/measure-memory.ts'
import { toMemoryTable } from './memory/report-memory.ts'
import { toMemoryLines } from './memory/trend.ts'
import { notMeasured, type Outcome } from './measure/outcome.ts'
import { type Options, readOptions } from './options.ts'
import { writeSection } from './report/document.ts'
import { type ReportLine, toReportLines } from './report/line.ts'
import { describeMachine } from './report/machine.ts'
import { printTable, toMarkdownTable } from './report/table.ts'

/** Something that hangs must not keep the other goals from being measured. */
const GOAL_MS = 15 * 60_000

/** Progress goes where it does not mix with the result. */
function log(text: string): void {
  console.error(text)
}

async function measureGoals(options: Options): Promise<ReportLine[]> {
  const lines: ReportLine[] = []
  const bench = openBench(options.size, log)
  try {
    for (const [number, goal] of chosen(options)) {
      log(`${number}. ${goal.title} …`)
      lines.push(...toReportLines(number, goal, options.size, await attempt(goal, bench)))
    }
  } finally {
    bench.close()
  }
  return lines
}

function chosen({ size, only }: Options): [number, Goal][] {
  return Object.entries(GOALS)
    .map(([number, goal]): [number, Goal] => [Number(number), goal])
    .filter(([number, goal]) => goal.sizes.includes(size) && (only?.includes(number) ?? true))
}

/** One goal that cannot be measured does not keep the others from it. */
async function attempt(
  goal: Goal,
  bench: ReturnType<typeof openBench>,
): Promise<Readonly<Record<string, Outcome>>> {
  try {
    return await Promise.race([goal.measure(bench), tooLong()])
  } catch (error) {
    log(error instanceof Error ? (error.stack ?? error.message) : String(error))
    const why = notMeasured(
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'failed',
    )
    return Object.fromEntries(Object.keys(goal.lines).map((line) => [line, why]))
  } finally {
    await bench.tidy()
  }
}

/** Windows need a display: without one, all of it runs again behind a virtual one. Answers whether it did. */
async function runBehindDisplay(): Promise<boolean> {
  const electron = await prepareElectron()
  if ('reason' in electron || electron.wrapper.length === 0) return false
  const [command = '', ...words] = [...electron.wrapper, process.execPath, ...process.argv.slice(1)]
  process.exitCode = spawnSync(command, words, { stdio: 'inherit' }).status ?? 1
  return true
}

async function watchMemory({ size, isJson, isWritten }: Options, minutes: number): Promise<void> {
  if (await runBehindDisplay()) return
  const bench = openBench(size, log)
  try {
    const samples = await measureMemory(bench, minutes)
    const lines = toMemoryLines(samples)
    const table = toMemoryTable(lines)
    console.log(isJson ? JSON.stringify({ machine: describeMachine(), lines, samples }) : table)
    if (!isWritten) return
    const what = `${minutes} minutes of browsing the ${size} file while 100 events a second are appended.`
    writeSection('Memory', `${what}\n\n${table}`)
  } finally {
    await bench.tidy()
    bench.close()
  }
}

async function tooLong(): Promise<never> {
  await sleep(GOAL_MS, undefined, { ref: false })
  throw new Error(`no end after ${GOAL_MS / 60_000} minutes`)
}

async function main(options: Options): Promise<void> {
  if (options.memoryMinutes !== null) return watchMemory(options, options.memoryMinutes)
  const needsWindow = chosen(options).some(([, goal]) => goal.isInWindow === true)
  if (needsWindow && (await runBehindDisplay())) return
  const lines = await measureGoals(options)
  if (options.isJson) {
    const machine = describeMachine()
    console.log(JSON.stringify({ at: new Date().toISOString(), machine, lines }, null, 2))
  } else {
    console.log(printTable(lines))
  }
  if (options.isWritten)
    writeSection(options.size === '1m' ? '1M events' : '10M events', toMarkdownTable(lines))
}

await main(readOptions(process.argv.slice(2)))
