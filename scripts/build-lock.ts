import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const POLL_MS = 100

/** One build at a time: two starts at once would empty each other's folders. A lock of a process that is gone is taken over. */
export async function withBuildLock(folder: string, run: () => Promise<void>): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, '.lock')
  while (!take(file)) {
    if (isAbandoned(file)) rmSync(file, { force: true })
    else await setTimeout(POLL_MS)
  }
  try {
    await run()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function isAbandoned(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
