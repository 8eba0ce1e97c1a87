import Database from 'better-sqlite3'
import type { Client } from 'pg'

export const TABLES = [
  'a2_events',
  'a2_snapshots',
  'a2_snapshot_history',
  'a2_snapshot_pins',
  'a2_clears',
  'a2_presence',
] as const
const JSON_COLUMNS = new Set(['payload', 'cause', 'returned_event_ids', 'state', 'data'])

/** Puts the rows of a file into the empty tables of a server: what is JSON text there is jsonb here. A table the file has not is dropped. */
export async function copyTables(path: string, client: Client): Promise<void> {
  const file = new Database(path, { readonly: true })
  try {
    for (const table of TABLES) {
      const isThere = file.prepare('select 1 from sqlite_schema where name = ?').get(table)
      // oxlint-disable-next-line no-await-in-loop -- one connection
      if (isThere === undefined) await client.query(`drop table ${table}`)
      // oxlint-disable-next-line no-await-in-loop
      else await copyTable(file, client, table)
    }
  } finally {
    file.close()
  }
}

async function copyTable(file: Database.Database, client: Client, table: string): Promise<void> {
  const rows = file.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()
  const text = `[${rows.map(toJson).join(',')}]`
  await client.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [text],
  )
  // A JSON null in a record is read as no value at all.
  if (table === 'a2_events') {
    await client.query("update a2_events set payload = 'null' where payload is null")
  }
}

/** JSON columns as they are, so that no digit is lost on the way. */
function toJson(row: Record<string, unknown>): string {
  const fields = Object.entries(row).map(([name, value]) => {
    if (typeof value === 'string' && JSON_COLUMNS.has(name)) return `"${name}":${value}`
    return `"${name}":${JSON.stringify(name === 'lane_ready' ? value === 1 : value)}`
  })
  return `{${fields.join(',')}}`
}
