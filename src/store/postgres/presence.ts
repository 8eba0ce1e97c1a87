import { leaseEnd } from '../lease.ts'
import type { Presence, PresenceKey, PresenceWrite } from '../store.ts'
import type { Connection } from './connection.ts'
import type { Tables } from './schema.ts'

export function bindPresence(connection: Connection, tables: Tables, now: () => number) {
  const set = `
    insert into ${tables.presence} as held (ns, participant, data, joined_at, updated_at, expires_at)
    values ($1, $2, $3::jsonb, $4, $4, $5)
    on conflict (ns, participant) do update
       set data = excluded.data, updated_at = excluded.updated_at,
           expires_at = excluded.expires_at,
           joined_at = case when held.expires_at <= excluded.updated_at
                            then excluded.joined_at else held.joined_at end`
  const list = `
    select participant, data, joined_at, updated_at, expires_at from ${tables.presence}
     where ns = $1 and expires_at > $2 order by participant collate "C"`
  const remove = `delete from ${tables.presence} where ns = $1 and participant = $2`
  return {
    async set(presence: PresenceWrite, json: string): Promise<void> {
      const at = now()
      const params = [presence.ns, presence.participant, json, at, leaseEnd(presence, at)]
      await connection.query({ sql: set, params })
    },
    async list(ns: string): Promise<Presence[]> {
      const rows = await connection.query({ sql: list, params: [ns, now()] })
      return rows.map((row) => ({
        ns,
        participant: String(row['participant']),
        data: row['data'],
        joinedAt: new Date(Number(row['joined_at'])),
        updatedAt: new Date(Number(row['updated_at'])),
        expiresAt: new Date(Number(row['expires_at'])),
      }))
    },
    async remove({ ns, participant }: PresenceKey): Promise<void> {
      await connection.query({ sql: remove, params: [ns, participant] })
    },
  }
}
