/** The floors: what somebody would write who knows the tables and SQLite well, and nothing around it. */
const LOOSE = (limit: string): string => `with recursive s(id, n) as (
    select (select min(session_id) from a2_events), 1
    union all
    select (select min(e.session_id) from a2_events e where e.session_id > s.id), n + 1
    from s where s.id is not null ${limit})
  select id, (select max(idx) from a2_events e where e.session_id = s.id) as head,
    (select clear_index from a2_clears c where c.session_id = s.id) as clear_index,
    (select created_at from a2_events e where e.session_id = s.id order by idx desc limit 1) as last_at
  from s where id is not null order by n`

export const rawSql = {
  /** Every session with head, clear index and last activity, by one step of the key each. */
  allSessions: LOOSE(''),
  first50: LOOSE('and n < 50'),
  groupBy:
    'select session_id, max(idx) as head, count(*) as events from a2_events group by session_id',
  /** Pending and dead in one pass through the table; the values of no row are read. */
  unfinishedScan: `select sum(failed_at is null) as pending, sum(failed_at is not null) as dead
    from a2_events not indexed where processed_at is null`,
  /** Everything about every session in one statement, as it comes to mind first. */
  obvious: `select session_id, max(idx), count(*), max(created_at),
      sum(processed_at is null and failed_at is null), sum(failed_at is not null)
    from a2_events group by session_id`,
  like: 'select session_id, idx from a2_events where payload like ?',
} as const
