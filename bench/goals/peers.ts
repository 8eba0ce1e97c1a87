import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Bench } from '../bench-run.ts'
import { NEEDLE } from '../generate/spec.ts'
import { defineGoal, SMALL_ONLY } from '../goal.ts'
import { compare, type Outcome } from '../measure/outcome.ts'
import { roundRobin, timed, type Turn } from '../measure/rounds.ts'
import { openClient, recentFirst } from './inspectors.ts'
import { compareWithBrowser } from './peer-browser.ts'
import { compareWithDrizzle } from './peer-drizzle.ts'
import { inPlaceOf, missing, toReason } from './peer-programs.ts'
import { rawSql } from './raw-sql.ts'
import { searchAll } from './searching.ts'

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

async function compareWithShell(bench: Bench): Promise<Record<'list' | 'word', Outcome>> {
  const why = missing('sqlite3')
  if (why !== undefined) return inPlaceOf(['list', 'word'], why)
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

/** Made when first asked for: what other programs get never is the file that is kept. */
function copyOnce(bench: Bench): () => string {
  let copy: string | undefined
  return () => {
    if (copy === undefined) {
      copy = join(bench.folder('peers'), 'copy.db')
      copyFileSync(bench.file(), copy)
    }
    return copy
  }
}

const PAGE = 'page of 100 events, in the window'

export const peers = defineGoal({
  title: 'What people would use instead',
  sizes: SMALL_ONLY,
  isInWindow: true,
  lines: {
    list: { name: 'complete list with all counts', floor: 'sqlite3, the obvious SQL', limit: 0.5 },
    word: { name: 'search to the end', floor: 'sqlite3, like', limit: null },
    start: { name: 'start, until sessions are painted', floor: "DB Browser's rows", limit: 2 },
    everything: {
      name: 'search everywhere to the end',
      floor: "DB Browser's filter of all columns",
      limit: 0.4,
    },
    payload: {
      name: 'search in payloads to the end',
      floor: "DB Browser's filter of one column",
      limit: null,
    },
    rows: { name: PAGE, floor: 'drizzle-kit, 100 rows', limit: null },
    rowsAndCount: { name: PAGE, floor: 'drizzle-kit, 100 rows and the count', limit: null },
  },
  async measure(bench) {
    const copy = copyOnce(bench)
    const withShell = await compareWithShell(bench)
    const withBrowser = await compareWithBrowser(bench, copy).catch((error: unknown) =>
      inPlaceOf(['start', 'everything', 'payload'], toReason(error)),
    )
    const withDrizzle = await compareWithDrizzle(bench, copy).catch((error: unknown) =>
      inPlaceOf(['rows', 'rowsAndCount'], toReason(error)),
    )
    return { ...withShell, ...withBrowser, ...withDrizzle }
  },
})
