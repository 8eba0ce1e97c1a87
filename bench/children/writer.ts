import Database from 'better-sqlite3'
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { quantileOf } from '../measure/outcome.ts'
import type { WriterOptions, WriterReport } from './start-writer.ts'

/**
 * An app that writes at a steady rate. Its one argument is JSON; says `ready` when the file is open, begins at the
 * first line it reads, and prints a report when it is done.
 */
const { path, commitsPerSecond, eventsPerCommit, seconds, sessionIds, hasTimes }: WriterOptions =
  JSON.parse(process.argv[2] ?? '')
const payload = JSON.stringify({ text: 'the quick brown fox jumps over a lazy dog; '.repeat(10) })
const database = new Database(path)
const insert = database.prepare(
  `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
   values (?, ?, 'message.received', ?, ?, ?)`,
)
const heads = new Map(sessionIds.map((id) => [id, headOf(id)]))
const commitMs: number[] = []
const times: [key: string, at: number][] = []
let walBytes = 0
let events = 0

function headOf(sessionId: string): number {
  return database
    .prepare<[string], number>(`select coalesce(max(idx), 0) from a2_events where session_id = ?`)
    .pluck()
    .get(sessionId)!
}

const commit = database.transaction((at: number) => {
  const keys: string[] = []
  for (let n = 0; n < eventsPerCommit; n += 1) {
    const sessionId = sessionIds[events % sessionIds.length]!
    const index = (heads.get(sessionId) ?? 0) + 1
    heads.set(sessionId, index)
    events += 1
    insert.run(sessionId, index, payload, `bench-${process.pid}-${events}`, at)
    keys.push(`${sessionId} ${index}`)
  }
  return keys
})

function commitOnce(): void {
  const startedAt = performance.now()
  const keys = commit.immediate(Date.now())
  commitMs.push(performance.now() - startedAt)
  walBytes = Math.max(walBytes, statSync(`${path}-wal`).size)
  if (hasTimes) for (const key of keys) times.push([key, Date.now()])
}

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
const startedAt = performance.now()
const all = Math.round(commitsPerSecond * seconds)
while (commitMs.length < all) {
  const due = ((performance.now() - startedAt) / 1000) * commitsPerSecond
  while (commitMs.length < Math.min(all, due)) commitOnce()
  await sleep(1)
}
const report: WriterReport = {
  events,
  seconds: (performance.now() - startedAt) / 1000,
  commitP50Ms: quantileOf(commitMs, 0.5),
  commitP99Ms: quantileOf(commitMs, 0.99),
  walBytes,
  times,
}
database.close()
// An exit at once would cut a long report off where the pipe is full.
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
