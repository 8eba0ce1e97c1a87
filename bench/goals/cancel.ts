import type { RunningApp } from '../electron/run-app.ts'
import { startSettledApp } from '../electron/settled.ts'
import { join } from 'node:path'

import { root } from '../electron/bundles.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare } from '../measure/outcome.ts'
import { roundRobin } from '../measure/rounds.ts'

const BACKGROUND = 'A2 Inspector background'
const ENTRY = join(root, 'dist', 'electron', 'background-process.js')
const TARGET = 'bench-fork'

async function findBackground({ electron }: RunningApp): Promise<number> {
  for (;;) {
    const pid = await electron.evaluate(
      ({ app }, name) => app.getAppMetrics().find((one) => one.name === name)?.pid,
      BACKGROUND,
    )
    if (pid !== undefined) return pid
  }
}

/** A background process of its own, from its start to the first word through a port of it. */
async function forkAndAsk(app: RunningApp, path: string): Promise<number> {
  await app.inPage('expectPort', TARGET)
  const startedAt = await app.electron.evaluate(
    ({ BrowserWindow, MessageChannelMain, utilityProcess }, [entry, file, target]) => {
      const forkedAt = Date.now()
      const child = utilityProcess.fork(entry, [file], { stdio: 'ignore' })
      const { port1, port2 } = new MessageChannelMain()
      child.once('message', () => child.postMessage({ kind: 'port', role: 'background' }, [port1]))
      BrowserWindow.getAllWindows()[0]?.webContents.postMessage('a2:port', { target }, [port2])
      Reflect.set(globalThis, 'a2BenchChild', child)
      return forkedAt
    },
    [ENTRY, path, TARGET] as const,
  )
  const tookMs = (await app.inPage('firstWordThroughIt')) - startedAt
  await app.electron.evaluate(() => Reflect.get(globalThis, 'a2BenchChild').kill())
  return tookMs
}

/** The background process is stopped, as a statement that does not end would; what is under way is cancelled. */
async function cancelWhatDoesNotEnd(app: RunningApp): Promise<number> {
  process.kill(await findBackground(app), 'SIGSTOP')
  return app.inPage('cancelAndSearch')
}

export const cancel = defineGoal({
  title: 'Cancel a question that does not end',
  sizes: BOTH_SIZES,
  isInWindow: true,
  lines: {
    again: { name: 'cancel, until the next answer', floor: 'a process and its answer', limit: 3 },
  },
  async measure(bench) {
    const path = bench.file()
    const app = await startSettledApp(bench, path)
    await app.inPage('searchUntilStopped', 'a')
    await app.inPage('stopSearching')
    const found = await roundRobin({
      floor: () => forkAndAsk(app, path),
      value: () => cancelWhatDoesNotEnd(app),
    })
    await app.close()
    return { again: compare(found.value, found.floor) }
  },
})
