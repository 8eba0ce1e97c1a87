import type { Client } from 'pg'

export interface ManyEvents {
  readonly events: number
  /** Sessions but the big one. */
  readonly sessions: number
  /** Events of the session `big`. */
  readonly big: number
}

/**
 * Fills the tables of a schema: a tenth of all sessions cleared once, two events of a hundred
 * unfinished and one of two hundred dead, half of them in lanes; payloads of about 300 bytes.
 */
export async function fillEvents(client: Client, wanted: ManyEvents): Promise<void> {
  const { events, sessions, big } = wanted
  await client.query(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, cause, lane,
       lane_ready, processed_at, attempt_count, failure_count, failed_at, last_error)
     select r.session_id, r.idx, case when r.is_marker then 'a2.session.cleared' else 'thing.' || r.n % 7 end,
       case when r.is_marker then 'null'::jsonb
         else jsonb_build_object('n', r.n, 'text', repeat(md5(r.n::text), 8)) end,
       'e' || r.n, 1700000000000 + r.n,
       case when r.idx > 1 and r.n % 3 = 0 then jsonb_build_object('index', r.idx - 1, 'attempt', 1) end,
       case when r.n % 2 = 0 then 'lane-' || r.n % 5 end, true,
       case when r.is_marker or r.n % 50 <> 0 then 1700000000000 + r.n end,
       1, case when r.n % 200 = 0 then 3 else 0 end,
       case when r.n % 200 = 0 and not r.is_marker then 1700000000000 + r.n end,
       case when r.n % 200 = 0 then 'it failed: ' || r.n end
     from (select n, session_id, idx, idx = 40 and session_id like '%0' as is_marker from (
       select n,
         case when n <= $1::int then 'big' else 's-' || lpad((n % $2::int)::text, 6, '0') end as session_id,
         case when n <= $1::int then n else (n - $1::int - 1) / $2::int + 1 end as idx
       from generate_series(1, $3::int) as n) g) r`,
    [big, sessions, events],
  )
  await client.query(
    `insert into a2_clears select session_id, idx from a2_events
      where event_type = 'a2.session.cleared'`,
  )
  await client.query(
    `insert into a2_snapshots
     select distinct session_id, 'state', 10, '{"a": 1}'::jsonb, 1 from a2_events
      where session_id like 's-%0'`,
  )
  await client.query('analyze')
}
