import type { Bench } from '../bench-run.ts'
import type { RunningApp } from './run-app.ts'

const SETTLE_MS = 120_000

/** The app on a file, once everything it lists and counts by itself is complete. */
export async function startSettledApp(bench: Bench, path: string): Promise<RunningApp> {
  const electron = await bench.electron()
  const app = await electron.startApp(path, bench.folder('app'))
  await untilSettled(app)
  return app
}

export async function untilSettled({ page }: RunningApp): Promise<void> {
  await page.getByText(/counts as of .* complete/).waitFor({ timeout: SETTLE_MS })
}
