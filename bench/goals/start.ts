import type { ElectronBench, RunningApp } from '../electron/run-app.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare, notMeasured } from '../measure/outcome.ts'
import { roundRobin, type Turn } from '../measure/rounds.ts'

/** From the start of the program to a frame that shows what was waited for. */
function untilPainted(start: () => Promise<RunningApp>, selector: string): Turn {
  return async () => {
    const startedAt = Date.now()
    const running = await start()
    await running.page.locator(selector).first().waitFor()
    const paintedAt = await running.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())))
        }),
    )
    await running.close()
    return paintedAt - startedAt
  }
}

/** The same data folder each time: later starts of the same person. */
export function untilFirstSessions(
  electron: ElectronBench,
  path: string,
  dataFolder: string,
): Turn {
  return untilPainted(() => electron.startApp(path, dataFolder), '[role=option]')
}

export const launch = defineGoal({
  title: 'From the start of the program to the first sessions',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    blank: { name: 'start, until sessions are painted', floor: 'a blank window', limit: 1.25 },
    size: { name: 'the same on 10M', floor: 'on 1M', limit: 1.1 },
  },
  async measure(bench) {
    const electron = await bench.electron()
    const dataFolder = bench.folder('start')
    const app = (path: string): Turn => untilFirstSessions(electron, path, dataFolder)
    const [small, big] = [bench.existingFile('1m'), bench.existingFile('10m')]
    const blank = untilPainted(() => electron.startLab(), 'p')
    if (small === undefined || big === undefined) {
      const found = await roundRobin({ blank, own: app(bench.file()) })
      const why = 'needs both files: run it with --size 1m and --size 10m once'
      return { blank: compare(found.own, found.blank), size: notMeasured(why) }
    }
    const found = await roundRobin({ blank, small: app(small), big: app(big) })
    return {
      blank: compare(bench.size === '1m' ? found.small : found.big, found.blank),
      size: compare(found.big, found.small),
    }
  },
})
