import Database from 'better-sqlite3'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import type { WriterAnswer, WriterCommand } from '../writer.ts'

/** An app that works on a file (argument) and never waits for a lock: it does what it is told, a JSON text a line. */
const path = process.argv[2] ?? ''
const database = new Database(path, { timeout: 0 })
const append = database
  .prepare(`
  insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, processed_at)
  values (@session, (select coalesce(max(idx), 0) + 1 from a2_events where session_id = @session),
    'tick', @payload, @id, @now, @now) returning idx`)
  .pluck()

async function appendMany({ session, count, perSecond }: Extract<WriterCommand, { do: 'append' }>) {
  let busy = 0
  const indexes: number[] = []
  const committedAt: number[] = []
  const startedAt = performance.now()
  while (indexes.length < count) {
    const early = startedAt + (indexes.length * 1_000) / perSecond - performance.now()
    if (early > 0) await sleep(early)
    try {
      const now = Date.now()
      const number = indexes.length + 1
      const row = {
        session,
        now,
        payload: `{"n":${number}}`,
        id: `${session}-${process.pid}-${now}-${number}`,
      }
      indexes.push(Number(append.get(row)))
      committedAt.push(Date.now())
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY'))
        throw error
      busy += 1
    }
  }
  return { busy, indexes, committedAt }
}

async function obey(command: WriterCommand): Promise<WriterAnswer> {
  if (command.do === 'append') return appendMany(command)
  database.close()
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { busy: 0, indexes: [], committedAt: [], walBytes }
}

for await (const line of createInterface(process.stdin)) {
  const answer = await obey(JSON.parse(line) as WriterCommand)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
