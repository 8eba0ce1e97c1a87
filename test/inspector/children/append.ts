import Database from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'

/** Appends events one commit each, never waiting for a lock, and prints what it met. Arguments: path, number, a second's worth. */
const [path = '', number = '0', perSecond = '200'] = process.argv.slice(2)
const database = new Database(path, { timeout: 0 })
const insert =
  database.prepare(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
  values (?, (select coalesce(max(idx), 0) + 1 from a2_events where session_id = ?), ?, ?, ?, ?)`)
let appended = 0
let busy = 0
const startedAt = performance.now()
while (appended < Number(number)) {
  const session = `live-${appended % 7}`
  try {
    insert.run(session, session, 'tick', '{"n":1}', `live-${process.pid}-${appended}`, Date.now())
    appended += 1
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY') !== true) throw error
    busy += 1
  }
  const due = startedAt + (appended * 1000) / Number(perSecond)
  if (due > performance.now()) await sleep(due - performance.now())
}
database.close()
process.stdout.write(JSON.stringify({ appended, busy }))
