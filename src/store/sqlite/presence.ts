import { leaseEnd } from '../lease.ts'
import type { Presence, PresenceKey, PresenceWrite } from '../store.ts'
import type { SqliteContext } from './context.ts'
import { parseJson } from './rows.ts'

interface PresenceRow {
  readonly participant: string
  readonly data: string
  readonly joined_at: number
  readonly updated_at: number
  readonly expires_at: number
}

const SET = `
insert into a2_presence (ns, participant, data, joined_at, updated_at, expires_at)
values (?, ?, ?, ?, ?, ?)
on conflict (ns, participant) do update
   set data = excluded.data, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
       joined_at = case when a2_presence.expires_at <= excluded.updated_at
                        then excluded.joined_at else a2_presence.joined_at end`

const LIST = `
select participant, data, joined_at, updated_at, expires_at from a2_presence
 where ns = ? and expires_at > ? order by participant`

export function bindPresence(context: SqliteContext) {
  const set = context.prepare(SET)
  const list = context.prepare(LIST)
  const remove = context.prepare('delete from a2_presence where ns = ? and participant = ?')
  const now = () => context.clock.now().getTime()
  return {
    set: (presence: PresenceWrite, json: string): void => {
      const at = now()
      set.run(presence.ns, presence.participant, json, at, at, leaseEnd(presence, at))
    },
    list: (ns: string): Presence[] =>
      list.all<PresenceRow>(ns, now()).map((row) => ({
        ns,
        participant: row.participant,
        data: parseJson(row.data, `the presence of '${row.participant}'`),
        joinedAt: new Date(row.joined_at),
        updatedAt: new Date(row.updated_at),
        expiresAt: new Date(row.expires_at),
      })),
    remove: ({ ns, participant }: PresenceKey): void => {
      remove.run(ns, participant)
    },
  }
}
