import Database from 'better-sqlite3'

/** Takes the exclusive lock of a file in rollback mode and keeps it until it is told to end. Argument: path. */
const database = new Database(process.argv[2])
database.pragma('journal_mode = delete')
database.exec('begin exclusive')
process.stdout.write('held')
process.stdin.on('data', () => {
  database.exec('rollback')
  database.close()
  process.exit(0)
})
