import Database from 'better-sqlite3'
import { Client } from 'pg'

import { postgres } from '../../src/store/postgres/store.ts'
import { sqlite } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'

/** One way of doing the three operations, each on a session of its own with one event in it. */
export interface Variant {
  append(sessionId: string): Promise<void>
  claim(sessionId: string): Promise<void>
  /** Completes event 1 and appends one that it returned. */
  complete(sessionId: string): Promise<void>
  close(): Promise<void>
}

const PAYLOAD = { role: 'user', text: 'Where is my order?', attachments: [] }
const PAYLOAD_TEXT = JSON.stringify(PAYLOAD)
const LEASE_MS = 60_000
let ids = 0
const nextId = (): string => `bench-${(ids += 1)}`

function ofStore(store: Store): Variant {
  return {
    async append(sessionId) {
      await store.append(sessionId, [{ type: 'chat.message', payload: PAYLOAD, id: nextId() }])
    },
    async claim(sessionId) {
      const answer = await store.claimPending({ sessionId, holder: 'bench', ttlMs: LEASE_MS })
      if (answer.outcome !== 'claimed') throw new Error('nothing was claimed')
    },
    async complete(sessionId) {
      const child = { type: 'chat.reply', payload: PAYLOAD, id: nextId(), settled: true }
      const attempt = { sessionId, index: 1, attempt: 1, events: [child] }
      const answer = await store.completeAttempt(attempt)
      if (answer.outcome !== 'completed') throw new Error('it was not completed')
    },
    close: () => store.close(),
  }
}

export async function storeOnSqlite(path: string): Promise<Variant> {
  return ofStore(sqlite({ path }))
}

export async function storeOnPostgres(connectionString: string, schema: string): Promise<Variant> {
  const store = postgres({ connectionString, schema })
  await store.append('', [])
  return ofStore(store)
}

/** The statements that change something, and nothing else, in a transaction of the same durability. */
export async function bareSqlite(path: string): Promise<Variant> {
  await sqlite({ path }).close()
  const database = new Database(path)
  database.pragma('synchronous = full')
  const insert = database.prepare(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, cause,
       lane, lane_ready, processed_at) values (?, ?, ?, ?, ?, ?, ?, null, 1, ?)`,
  )
  const claim = database.prepare(
    `update a2_events set attempt_count = attempt_count + 1, claim_holder = ?, claim_expires_at = ?
      where session_id = ? and idx = ?`,
  )
  const finish = database.prepare(
    `update a2_events set processed_at = ?, lane_ready = 0, claim_holder = null,
       claim_expires_at = null, returned_event_ids = ? where session_id = ? and idx = ?`,
  )
  const transaction = (run: () => void): void => {
    database.transaction(run).immediate()
  }
  return {
    append: async (sessionId) =>
      transaction(() => {
        insert.run(sessionId, 1, 'chat.message', PAYLOAD_TEXT, nextId(), Date.now(), null, null)
      }),
    claim: async (sessionId) =>
      transaction(() => {
        claim.run('bench', Date.now() + LEASE_MS, sessionId, 1)
      }),
    complete: async (sessionId) =>
      transaction(() => {
        const [id, now] = [nextId(), Date.now()]
        finish.run(now, JSON.stringify([id]), sessionId, 1)
        const cause = '{"index":1,"attempt":1}'
        insert.run(sessionId, 2, 'chat.reply', PAYLOAD_TEXT, id, now, cause, now)
      }),
    close: async () => void database.close(),
  }
}

export async function barePostgres(connectionString: string, schema: string): Promise<Variant> {
  const store = await storeOnPostgres(connectionString, schema)
  await store.close()
  const client = new Client({ connectionString, options: `-c search_path=${schema}` })
  await client.connect()
  const transaction = async (run: () => Promise<void>): Promise<void> => {
    await client.query('begin')
    await run()
    await client.query('commit')
  }
  const insert = (params: readonly unknown[]) =>
    client.query(
      `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, cause,
         lane, lane_ready, processed_at)
       values ($1, $2, $3, $4::jsonb, $5, $6, $7::jsonb, null, true, $8)`,
      [...params],
    )
  return {
    append: (sessionId) =>
      transaction(async () => {
        const id = nextId()
        await insert([sessionId, 1, 'chat.message', PAYLOAD_TEXT, id, Date.now(), null, null])
      }),
    claim: (sessionId) =>
      transaction(async () => {
        await client.query(
          `update a2_events set attempt_count = attempt_count + 1, claim_holder = $1,
             claim_expires_at = $2 where session_id = $3 and idx = $4 returning *`,
          ['bench', Date.now() + LEASE_MS, sessionId, 1],
        )
      }),
    complete: (sessionId) =>
      transaction(async () => {
        const [id, now] = [nextId(), Date.now()]
        await client.query(
          `update a2_events set processed_at = $1, lane_ready = false, claim_holder = null,
             claim_expires_at = null, returned_event_ids = $2::jsonb
           where session_id = $3 and idx = $4`,
          [now, JSON.stringify([id]), sessionId, 1],
        )
        const cause = '{"index":1,"attempt":1}'
        await insert([sessionId, 2, 'chat.reply', PAYLOAD_TEXT, id, now, cause, now])
      }),
    close: () => client.end(),
  }
}
