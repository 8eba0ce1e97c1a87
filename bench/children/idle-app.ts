import Database from 'better-sqlite3'

/**
 * An app that has a file open: appends a few events, says so, keeps it open without touching it, and closes it as
 * apps do when it is told to end. Argument: path.
 */
const database = new Database(process.argv[2])
const insert = database.prepare(
  `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
   select 'bench-idle-app', coalesce(max(idx), 0) + 1, 'message.received', '{}', ?, ?
   from a2_events where session_id = 'bench-idle-app'`,
)
for (let n = 0; n < 20; n += 1) insert.run(`bench-idle-${process.pid}-${n}`, Date.now())
process.stdout.write('open\n')
process.stdin.once('data', () => {
  database.close()
  process.exit(0)
})
