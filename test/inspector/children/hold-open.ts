import Database from 'better-sqlite3'

/** An app that appended something and stays open until it is told to end. Argument: path. */
const database = new Database(process.argv[2])
database.exec(`insert into a2_events (session_id, idx, event_type, payload, event_id, created_at)
  values ('from the app', 1, 'started', '{}', 'from the app', 1)`)
process.stdout.write('open')
process.stdin.on('data', () => {
  database.close()
  process.exit(0)
})
