import type { CDPSession } from '@playwright/test'

import type { RunningApp } from '../electron/run-app.ts'

/** What everything held at one moment, in MB; by name. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number
  readonly megabytes: Readonly<Record<string, number>>
}

export const RENDERER_HEAP = 'renderer, JS heap'

/** Names as the app gives them; of several processes of one kind the largest counts. */
export function makeSampler(app: RunningApp, devtools: CDPSession): () => Promise<Sample> {
  const startedAt = performance.now()
  return async () => {
    const processes = await app.electron.evaluate(({ app: electron }) =>
      electron.getAppMetrics().map(({ type, name, memory }) => ({
        name: name ?? type,
        megabytes: memory.workingSetSize / 1024,
      })),
    )
    const megabytes: Record<string, number> = {}
    for (const { name, megabytes: held } of processes)
      megabytes[name] = Math.max(megabytes[name] ?? 0, held)
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    megabytes[RENDERER_HEAP] = usedSize / 1_048_576
    return { at: (performance.now() - startedAt) / 1000, megabytes }
  }
}
