import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

import type { Bench } from '../bench-run.ts'
import { NEEDLE } from '../generate/spec.ts'
import { defineGoal, SMALL_ONLY } from '../goal.ts'
import { compare, notMeasured, type Outcome } from '../measure/outcome.ts'
import { roundRobin, timed, type Turn } from '../measure/rounds.ts'
import { openClient, recentFirst } from './inspectors.ts'
import { rawSql } from './raw-sql.ts'
import { searchAll } from './searching.ts'
import { untilFirstSessions } from './start.ts'

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** The sqlite3 shell from its start to its end. */
function shell(path: string, sql: string): Turn {
  return timed(async () => {
    const child = spawn('sqlite3', ['-readonly', path, sql], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.resume()
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`sqlite3 ended with ${code}`)
  })
}

/** From opening a file to a list in which nothing is missing any more. */
async function completeList(bench: Bench, path: string): Promise<void> {
  const { client, close } = openClient(bench, path)
  for (;;) {
    const { isListComplete, isWorkComplete } = await client.sessions.view(recentFirst())
    if (isListComplete && isWorkComplete) break
  }
  await close()
}

/** Until DB Browser shows its window; it may still be reading then. */
function browser(path: string): Turn {
  return async () => {
    const startedAt = performance.now()
    const child = spawn('sqlitebrowser', ['--read-only', path], { stdio: 'ignore' })
    const shown = spawn('xdotool', ['search', '--sync', '--onlyvisible', '--pid', `${child.pid}`], {
      stdio: 'ignore',
    })
    await once(shown, 'exit')
    const tookMs = performance.now() - startedAt
    child.kill()
    await once(child, 'exit')
    return tookMs
  }
}

async function compareWithBrowser(bench: Bench): Promise<Outcome> {
  if (!isInstalled('sqlitebrowser')) return notMeasured('DB Browser is not installed')
  if (!isInstalled('xdotool')) return notMeasured('xdotool is not installed')
  const electron = await bench.electron()
  const path = bench.file()
  const found = await roundRobin({
    own: untilFirstSessions(electron, path, bench.folder('start')),
    browser: browser(path),
  })
  return compare(found.own, found.browser)
}

async function compareWithShell(bench: Bench): Promise<Record<'list' | 'word', Outcome>> {
  if (!isInstalled('sqlite3')) {
    const why = notMeasured('sqlite3 is not installed')
    return { list: why, word: why }
  }
  const path = bench.file()
  const found = await roundRobin({
    list: timed(() => completeList(bench, path)),
    shellList: shell(path, rawSql.obvious),
    word: timed(() => searchAll(bench, path)),
    shellWord: shell(path, rawSql.like.replace('?', `'%${NEEDLE}%'`)),
  })
  return {
    list: compare(found.list, found.shellList),
    word: compare(found.word, found.shellWord),
  }
}

export const peers = defineGoal({
  title: 'What people would use instead',
  sizes: SMALL_ONLY,
  isInWindow: true,
  lines: {
    list: { name: 'complete list with all counts', floor: 'sqlite3, the obvious SQL', limit: 0.5 },
    word: { name: 'search to the end', floor: 'sqlite3, like', limit: null },
    start: { name: 'start, until sessions are painted', floor: "DB Browser's window", limit: 2 },
  },
  async measure(bench) {
    const withShell = await compareWithShell(bench)
    return { ...withShell, start: await compareWithBrowser(bench).catch(toReason) }
  },
})

function toReason(error: unknown): Outcome {
  return notMeasured(error instanceof Error ? error.message : String(error))
}
