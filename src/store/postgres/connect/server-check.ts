import type { Statement } from '../connection.ts'

/** What a new connection says of itself. */
export interface Check {
  readonly pid: number
  /** When its server process began, as the server writes it; together with the pid it is never used twice. */
  readonly started: string | null
  readonly version: string
  readonly version_number: number
  readonly is_standby: boolean
  /** Of the settings that were asked for, those that are otherwise. */
  readonly not_applied: number
  readonly has_schema: boolean
}

/** One statement that tells where a connection ended up and whether its settings are in force. */
export function checkStatement(
  settings: readonly (readonly [name: string, value: string])[],
  schema: string | null,
): Statement {
  return {
    sql: `select pg_backend_pid() as pid,
                 (select extract(epoch from backend_start)::text
                    from pg_stat_activity where pid = pg_backend_pid()) as started,
                 current_setting('server_version') as version,
                 current_setting('server_version_num')::int as version_number,
                 pg_is_in_recovery() as is_standby,
                 (select count(*)::int
                    from unnest($1::text[], $2::text[]) as wanted (name, value)
                    left join pg_settings as actual on actual.name = wanted.name
                   where actual.setting is distinct from wanted.value) as not_applied,
                 $3::text is null
                   or exists (select from pg_namespace where nspname = $3) as has_schema`,
    params: [settings.map(([name]) => name), settings.map(([, value]) => value), schema],
  }
}
