import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

import { makeRandom } from '../../src/sample/random.ts'
import { postgres } from '../../src/store/postgres/store.ts'
import { findBinaries, startPostgres } from '../../test/support/postgres-server.ts'
import { generateRows } from '../generate/events.ts'
import { type Size, SPECS } from '../generate/spec.ts'
import { SEED } from '../generate/sqlite-file.ts'
import { GENERATION } from '../generate/cache-folder.ts'
import { copyEvents } from './copy-file.ts'

/** A server that has the rows of the generated file, without the partial indexes. */
export interface Twin {
  readonly connectionString: string
  connect(): Promise<Client>
  stop(): Promise<void>
}

/** Filled when it was not yet. Kept where the user the server runs as can get: never in somebody's home. */
export async function startTwin(size: Size, log: (text: string) => void): Promise<Twin> {
  const [binaries] = findBinaries()
  if (binaries === undefined) throw new Error('there is no Postgres')
  const parent = join(process.env['A2_BENCH_DIR'] ?? tmpdir(), 'a2-inspector-bench-postgres')
  const keptIn = join(parent, `generation-${GENERATION}-${size}`)
  const full = join(keptIn, 'full')
  if (!existsSync(full)) rmSync(keptIn, { recursive: true, force: true })
  mkdirSync(parent, { recursive: true })
  const server = await startPostgres(binaries, {
    isDurable: true,
    keptIn,
    // Commits are not what is measured; the file is kept only when it was filled to its end.
    settings: { synchronous_commit: 'off', max_wal_size: '4GB' },
  })
  const { connectionString } = server
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString })
    await client.connect()
    return client
  }
  const stop = (): Promise<void> => server.stop()
  try {
    if (!existsSync(full)) {
      log(`filling ${binaries.name} …`)
      await fill({ connectionString, connect, stop }, size, join(keptIn, 'rows.copy'))
      writeFileSync(full, '')
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { connectionString, connect, stop }
}

async function fill(twin: Twin, size: Size, path: string): Promise<void> {
  const store = postgres({ connectionString: twin.connectionString })
  await store.read('none')
  await store.close()
  const client = await twin.connect()
  try {
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
       where tablename = 'a2_events' and indexname <> 'a2_events_pkey'`,
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    const rows = generateRows(SPECS[size], makeRandom(SEED))
    await copyEvents(client, path, rows.events())
    await client.query(
      `insert into a2_clears (session_id, clear_index) select * from unnest($1::text[], $2::bigint[])`,
      [
        rows.clears.map(({ sessionId }) => sessionId),
        rows.clears.map(({ clearIndex }) => clearIndex),
      ],
    )
    for (const { sql } of indexes) if (!/ WHERE /i.test(sql)) await client.query(sql)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
