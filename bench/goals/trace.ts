import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRouterClient } from '@orpc/server'

import { openInspector } from '../../src/inspector/open-inspector.ts'
import type { Bench } from '../bench-run.ts'
import { NEEDLE } from '../generate/spec.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { check } from '../measure/outcome.ts'
import { recentFirst } from './inspectors.ts'
import { biggestOf } from './pages.ts'

/** How long after our last question the app closes its file. */
const REST_MS = 2_000

async function startIdleApp(path: string): Promise<{ close(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '..', 'children', 'idle-app.ts'), path],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  await once(child.stdout, 'data')
  return {
    async close() {
      const gone = once(child, 'exit')
      child.stdin.write('close\n')
      await gone
    },
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 4_194_304 })) hash.update(chunk)
  return hash.digest('hex')
}

async function hashesOf(path: string): Promise<string> {
  return `${await hashOf(path)} ${await hashOf(`${path}-wal`)}`
}

/** Some of everything that can be looked at. */
async function lookAround(bench: Bench, path: string) {
  const inspector = openInspector({ path, dataFolder: bench.folder('data') })
  const client = createRouterClient(inspector.router)
  const stop = new AbortController()
  const live = await client.live({ isVisible: true }, { signal: stop.signal })
  const listening = (async () => {
    for await (const _ of live);
  })().catch(() => undefined)
  const { sessionId, head } = biggestOf(bench.size)
  await client.facts()
  for (;;) {
    const view = await client.sessions.view(recentFirst())
    await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 100 })
    if (view.isListComplete && view.isWorkComplete) break
    await sleep(100)
  }
  await client.sessions.get({ sessionId })
  for (let from = 1; from <= 2_000; from += 200)
    await client.events.range({ sessionId, from, to: from + 199 })
  await client.events.get({ sessionId, index: head })
  await client.snapshots.list({ sessionId })
  await client.presence()
  const dead = await client.deadLetters.view({ text: '' })
  await client.deadLetters.rows({ viewId: dead.viewId, offset: 0, limit: 100 })
  const wanted = { text: NEEDLE, matchCase: true, sessionId: null, eventType: null, after: null }
  const background = createRouterClient(inspector.backgroundRouter)
  for await (const _ of await background.search({ ...wanted, scope: 'everything' }));
  stop.abort()
  await listening
  return inspector
}

export const noTrace = defineGoal({
  title: 'Looking leaves no trace',
  sizes: BOTH_SIZES,
  lines: {
    bytes: { name: 'file and -wal keep every byte', floor: '', limit: null },
    close: { name: 'the app that closes later leaves no -wal', floor: '', limit: null },
  },
  async measure(bench) {
    const path = bench.writableCopy()
    const app = await startIdleApp(path)
    const before = await hashesOf(path)
    const inspector = await lookAround(bench, path)
    const after = await hashesOf(path)
    await sleep(REST_MS)
    await app.close()
    const isWalLeft = existsSync(`${path}-wal`)
    await inspector.close()
    return {
      bytes: check(before === after, before === after ? 'sha256 the same' : 'sha256 differs'),
      close: check(!isWalLeft, isWalLeft ? 'a -wal is left' : 'none'),
    }
  },
})
